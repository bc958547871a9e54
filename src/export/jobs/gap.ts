/** Something missing from the archive: counted, recorded in the commit, shown. */
import { failureOf, JobvaultError, messageOf, type FailureKind } from '../../base/error.js';
import { redactText } from '../../base/text/redact.js';
import { StaleAnswerError } from '../../service/service-errors.js';
import { NO_PLACE, type ArtifactStatus } from '../../model/records.js';
import { openDoubt, type SessionState } from '../../archive/state/user-state.js';

export interface Gap {
  readonly user: string;
  /** Null if the whole user is missing. */
  readonly session: string | null;
  /** Null if the whole session is missing or may lack jobs. */
  readonly job: string | null;
  /** The file's place, as in `artifacts`; all three are null for a gap without a file. */
  readonly role: string | null;
  readonly block_index: number | null;
  readonly file_index: number | null;
  /** As in `artifacts`, or `DATASET`; null for neither a file nor a dataset. */
  readonly kind: string | null;
  /** Only for kind `DATASET`: the dataset; null if they could not all be listed. */
  readonly dataset?: string | null;
  /**
   * An artifact's status, or `doubtful` if a stored file could not be compared with the service's, or if a listing or
   * a history came from a cache; `failed`, `refused` or `incomplete` for users and sessions.
   */
  readonly status: Exclude<ArtifactStatus, 'stored'> | 'doubtful' | 'refused' | 'incomplete';
  readonly reason: string;
  /** The other session of a doubt: both have jobs that only one of them can have. */
  readonly shared_with?: string | undefined;
  /** Archived jobs, ten at most, of a session whose history has none of those that it had. */
  readonly missing_jobs?: readonly string[] | undefined;
  /** Whether gaps of this kind, or this one, are accepted: reported, but without exit code 3. */
  readonly accepted?: true;
  /** Who accepts this gap, as the log says: that permits no deletion. */
  readonly accepted_by?: string;
  /** Whether the archive's log had it before this run. */
  readonly known?: true;
}

/** The gap for a user or session that failed with an error. */
export function gapOf(user: string, session: string | null, error: unknown): Gap {
  return { user, session, ...wholeGap(statusOf(error), redactText(messageOf(error))) };
}

/** How many gaps there are of each sort; `new`: the log had not before. Those that are accepted are in none but the last. */
export interface GapCounts {
  gaps: number;
  new_gaps: number;
  doubts: number;
  new_doubts: number;
  accepted: number;
}

export function noGaps(): GapCounts {
  return { gaps: 0, new_gaps: 0, doubts: 0, new_doubts: 0, accepted: 0 };
}

/** @param counts what came before, which grows */
export function countGaps(gaps: Iterable<Gap>, counts: GapCounts = noGaps()): GapCounts {
  for (const { status, known, accepted } of gaps) {
    const added = known === true ? 0 : 1;
    if (accepted === true) counts.accepted++;
    else if (status === 'doubtful') {
      counts.doubts++;
      counts.new_doubts += added;
    } else {
      counts.gaps++;
      counts.new_gaps += added;
    }
  }
  return counts;
}

/** What a gap of a whole user or session says. */
export function wholeGap<Status extends string>(status: Status, reason: string) {
  return { job: null, ...NO_PLACE, kind: null, status, reason };
}

function statusOf(error: unknown): Gap['status'] {
  if (error instanceof StaleAnswerError) return 'doubtful';
  return failureOf(error) === 'authentication' || isRefusal(error) ? 'refused' : 'failed';
}

/** Whether the gap is in a user's history, rather than in the project's datasets. */
export function isOfHistory({ dataset }: Gap): boolean {
  return dataset === undefined;
}

/** Errors of a reachable service that failed only for the requested resource. */
const ANSWERS: ReadonlySet<string> = new Set([
  ...['SERVICE_FAILURE', 'SERVICE_UNUSABLE_ANSWER'],
  ...['SERVICE_STALE_ANSWER'],
]);

/** The kind of failure of a gap; the service counts as unreachable only if it did not answer. */
export function failureBehindGap(error: unknown): FailureKind {
  const isAnswer = error instanceof JobvaultError && ANSWERS.has(error.code);
  return isAnswer ? 'unexpected' : failureOf(error);
}

/** Whether the run can continue after the failure. */
export function isSkippable(error: unknown): error is JobvaultError {
  return error instanceof JobvaultError && error.disposition !== 'fatal';
}

const REFUSALS: ReadonlySet<string> = new Set([
  'SERVICE_PERMISSION_DENIED',
  'SERVICE_USER_REFUSED',
]);

function isRefusal(error: unknown): boolean {
  return error instanceof JobvaultError && REFUSALS.has(error.code);
}

/** Doubts whether a session was answered with its own history, and what they say. */

/** One of the two witnesses, or both. */
export interface Doubt {
  readonly reason: string;
  /** The id of a session that has jobs of it. */
  readonly sharedWith?: string | undefined;
  /** Archived jobs, none of which comes back. */
  readonly missingJobs?: readonly string[] | undefined;
}

/** So many are named at most; any of them that comes back ends the doubt. */
const MOST_MISSING = 10;

export function doubtOf(other: string): Doubt {
  const reason = `its history has jobs of session ${other}: one of the two was answered with the history of the other`;
  return { reason, sharedWith: other };
}

/** Of a session that can be asked no more: the doubt stays until somebody accepts it. */
export function doubtOfGone(other: string): Doubt {
  const shared = doubtOf(other);
  const why = `session ${other} is gone, so no reading can clear this: compare the two, and accept it with jobvault gap accept`;
  return { ...shared, reason: `${shared.reason}; ${why}` };
}

export function doubtOfMissing(jobs: readonly string[]): Doubt {
  const reason =
    'its history has none of the jobs that were archived before: it may be that of another session; if they were deleted at the service, accept this: jobvault gap accept';
  return { reason, missingJobs: jobs };
}

/** Of a session that could not be read again: what the log says, and that another one has jobs of it. */
export function unreadDoubt(
  known: SessionState | undefined,
  { session }: { readonly session: string },
): Doubt {
  const shared = doubtOf(session);
  const missing = openDoubt(known)?.missing_jobs;
  return bothDoubts(shared, missing && doubtOfMissing(missing)) ?? shared;
}

export function bothDoubts(
  shared: Doubt | undefined,
  missing: Doubt | undefined,
): Doubt | undefined {
  if (!shared || !missing) return shared ?? missing;
  const { reason, missingJobs: jobs } = missing;
  return { ...shared, reason: `${shared.reason}; ${reason}`, missingJobs: jobs };
}

/** Of many, the first and the last: a service with a limit drops one end. */
export function someOf(jobs: Iterable<string>): readonly string[] {
  const all = [...jobs];
  const half = MOST_MISSING / 2;
  return all.length <= MOST_MISSING ? all : [...all.slice(0, half), ...all.slice(-half)];
}

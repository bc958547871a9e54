/** Something missing from the archive: counted, recorded in the commit, shown. */
import { failureOf, JobvaultError, messageOf, type FailureKind } from '../../base/error.js';
import { redactText } from '../../base/text/redact.js';
import { StaleAnswerError } from '../../service/service-errors.js';
import {
  isDoubted,
  countedGaps,
  NO_GAPS,
  sumOfGaps,
  type GapCounts,
} from '../../model/gap-counts.js';
import { NO_PLACE, type ArtifactStatus } from '../../model/records.js';

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
  /** The number below which the jobs lie that a session had and of which its history has none. */
  readonly lost_below?: number | undefined;
  /** Whether gaps of this kind, or this one, are accepted: reported, but without exit code 3. */
  readonly accepted?: true;
  /** Who accepts this gap, as the log says: that permits no deletion. */
  readonly accepted_by?: string;
  /** Whether an earlier run could tell somebody of it: one that reached its last user. */
  readonly known?: true;
  /** Whether the run did not meet it: of a session that is gone, or that this run did not read, or of a user whom it did not read. */
  readonly is_elsewhere?: true;
  /** Whether its session is gone from the service: no run reads it again. */
  readonly is_absent?: true;
  /** Whether exports of everybody read its user no more. */
  readonly is_read_no_more?: true;
}

/** The gap for a user or session that failed with an error. */
export function gapOf(user: string, session: string | null, error: unknown): Gap {
  return { user, session, ...wholeGap(statusOf(error), redactText(messageOf(error))) };
}

/** How many gaps there are of each sort. */
export interface RunGapCounts extends GapCounts {
  /** How many of the open ones no earlier run could tell of. */
  readonly new_gaps: number;
  readonly new_doubts: number;
}

export const NO_GAPS_OF_RUN: RunGapCounts = { ...NO_GAPS, new_gaps: 0, new_doubts: 0 };

/** @param before what it adds them to */
export function countGaps(gaps: readonly Gap[], before = NO_GAPS_OF_RUN): RunGapCounts {
  const isAccepted = ({ accepted }: Gap): boolean => accepted === true;
  const added = gaps.filter(({ known }) => known !== true);
  const { gaps: newGaps, doubts: newDoubts } = countedGaps(added, isAccepted);
  return {
    ...sumOfGaps([before, countedGaps(gaps, isAccepted)]),
    new_gaps: before.new_gaps + newGaps,
    new_doubts: before.new_doubts + newDoubts,
  };
}

/** Those of files that the run met and could not archive, whichever run was the first. */
export function filesNotArchived(gaps: readonly Gap[]): Gap[] {
  return gaps.filter(
    (gap) => gap.block_index !== null && gap.is_elsewhere !== true && !isDoubted(gap),
  );
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

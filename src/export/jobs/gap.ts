/** Something that should be in the archive and is not: counted, recorded in the commit, shown. */
import { failureOf, JobvaultError, messageOf, type FailureKind } from '../../base/error.js';
import { redactText } from '../../base/redact.js';
import type { ArtifactStatus } from '../../model/artifact-status.js';

export interface Gap {
  readonly user: string;
  /** Null where the user as a whole is missing. */
  readonly session: string | null;
  /** Null where the session as a whole is missing or may lack jobs. */
  readonly job: string | null;
  /** Where the file should be, as in `artifacts`; null, all three, where no file is meant. */
  readonly role: string | null;
  readonly block_index: number | null;
  readonly file_index: number | null;
  /** As in `artifacts`, or `DATASET`; null where neither a file nor a dataset is meant. */
  readonly kind: string | null;
  /** Of a gap of kind `DATASET` only: which one; null where they could not all be listed. */
  readonly dataset?: string | null;
  /**
   * An artifact's status, or `doubtful` where a stored file could not be compared with the service's;
   * `failed`, `refused` or `incomplete` for users and sessions.
   */
  readonly status: Exclude<ArtifactStatus, 'stored'> | 'doubtful' | 'refused' | 'incomplete';
  readonly reason: string;
  /** Whether gaps of this kind are accepted: reported, but no reason for exit code 3. */
  readonly accepted?: true;
}

/** The gap that an error leaves behind where a user or a session should be. */
export function gapOf(user: string, session: string | null, error: unknown): Gap {
  return {
    user,
    session,
    job: null,
    role: null,
    block_index: null,
    file_index: null,
    kind: null,
    status: failureOf(error) === 'authentication' || isRefusal(error) ? 'refused' : 'failed',
    reason: redactText(messageOf(error)),
  };
}

/** Whether the gap is in a user's history, not in what describes the project. */
export function isOfHistory({ dataset }: Gap): boolean {
  return dataset === undefined;
}

/** Answers of a service that is there, and has trouble with the one thing that it was asked for. */
const ANSWERS: ReadonlySet<string> = new Set(['SERVICE_FAILURE', 'SERVICE_UNUSABLE_ANSWER']);

/** What kind of failure a gap stands for: the service counts as unreachable only where it did not answer. */
export function failureBehindGap(error: unknown): FailureKind {
  const isAnswer = error instanceof JobvaultError && ANSWERS.has(error.code);
  return isAnswer ? 'unexpected' : failureOf(error);
}

/** Whether the run can go on without what failed. */
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

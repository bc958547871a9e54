/** The state of one user: the result of replaying the log up to a commit. */
import type { JobId, SessionId, UserId } from '../../model/ids.js';
import type { GapEntry, JobLine } from '../log/commit.js';

export interface UserState {
  readonly user: UserId;
  /** Number of the newest commit that is taken into account; 0 for none. */
  readonly through: number;
  /** Digest of that commit; null for none. */
  readonly throughDigest: string | null;
  readonly sessions: ReadonlyMap<SessionId, SessionState>;
}

export interface SessionState {
  readonly version: number;
  readonly metaHash: string;
  /** `total_items` of its history as last seen. */
  readonly total: number | null;
  readonly archived: number;
  readonly complete: boolean;
  /** At which end of the history new jobs appear. */
  readonly growth: 'front' | 'back' | null;
  /** ISO 8601: when a complete listing first lacked it; null while it is listed. */
  readonly goneAt: string | null;
  readonly gaps: readonly GapEntry[];
  /** Whether the log has recorded that it was deleted from the service, by jobvault or otherwise. */
  readonly deleted: boolean;
  /** Ordered by index, then by id. */
  readonly jobs: ReadonlyMap<JobId, JobState>;
  /** Jobs that were archived here and that the service shows in another session: they are none of this one's. */
  readonly withdrawn: ReadonlyMap<JobId, JobState>;
}

/** A job as in its newest line in the log. */
export type JobState = Omit<JobLine, 'user' | 'session' | 'job'>;

export function emptyState(user: UserId): UserState {
  return { user, through: 0, throughDigest: null, sessions: new Map() };
}

interface SettleFacts {
  /** Reads the record, which is needed of few jobs. */
  isAnswered(): boolean;
  /** From the job's id; null if the id has no time. */
  readonly createdAtMs: number | null;
  /** How long ago this content was first seen; 0 the first time. */
  readonly unchangedForMs: number;
  readonly nowMs: number;
  /** `--settle-time`. */
  readonly settleTimeMs: number;
}

/** How long an answer must be the same to count as settled, however old its job. */
export const AGREEING_READS_MS = 10 * 60_000;
/** How long a job without an answer may still change. */
export const WITHOUT_RESPOND_MS = 24 * 3_600_000;

/** Whether the answer of a job is not expected to change any more. */
export function isSettled(facts: SettleFacts): boolean {
  if (facts.unchangedForMs >= WITHOUT_RESPOND_MS) return true;
  const isOld = facts.createdAtMs !== null && facts.nowMs - facts.createdAtMs >= facts.settleTimeMs;
  return (isOld || facts.unchangedForMs >= AGREEING_READS_MS) && facts.isAnswered();
}

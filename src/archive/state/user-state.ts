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
}

/** A job as in its newest line in the log. */
export type JobState = Omit<JobLine, 'user' | 'session' | 'job'>;

export function emptyState(user: UserId): UserState {
  return { user, through: 0, throughDigest: null, sessions: new Map() };
}

/** What is archived of one user: what replaying the log up to a commit gives. */
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
  /** Where new jobs showed up. */
  readonly growth: 'front' | 'back' | null;
  /** ISO 8601: when the service was first seen without it; null while it is listed. */
  readonly goneAt: string | null;
  readonly gaps: readonly GapEntry[];
  /** Deleted from the service, by jobvault or otherwise, as the log has recorded. */
  readonly deleted: boolean;
  /** Ordered by index, then by id. */
  readonly jobs: ReadonlyMap<JobId, JobState>;
}

/** What the newest line of the log says of a job. */
export type JobState = Omit<JobLine, 'user' | 'session' | 'job'>;

export function emptyState(user: UserId): UserState {
  return { user, through: 0, throughDigest: null, sessions: new Map() };
}

/** The facts about one session in the log on which its deletion or expiry is decided. */
import type { SessionState } from './user-state.js';
import type { JobId, SessionId, UserId } from '../../model/ids.js';

export interface LastActivity {
  readonly atMs: number;
  /** Where the time comes from; `first-seen`: no id has a time, and it happened then or before. */
  readonly from: 'job-id' | 'session-id' | 'first-seen';
}

export interface ArchivedSession {
  readonly user: UserId;
  readonly session: SessionId;
  readonly state: SessionState;
  /** The newest commit with rows of it: when its last change was seen. */
  readonly changed: {
    readonly commit: number;
    /** The first commit of that run: within a run the order of commits means nothing. */
    readonly run: number;
    readonly atMs: number;
  };
  /** When it last changed: see `session-age.ts`. */
  readonly activity: LastActivity;
  /** Every commit with rows of it, in order. */
  readonly commits: readonly number[];
  /** The content hash of each version of each job, by `versionKey`. */
  readonly hashes: ReadonlyMap<string, string>;
}

export function versionKey(job: JobId, version: number): string {
  return JSON.stringify([version, job]);
}

/** Whether the service should still have it, as far as the log knows. */
export function isLive({ deleted, goneAt }: Pick<SessionState, 'deleted' | 'goneAt'>): boolean {
  return !deleted && goneAt === null;
}

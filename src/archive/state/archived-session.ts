/** What the log says of one session: the facts that its deletion or its expiry is decided on. */
import type { SessionState } from './user-state.js';
import type { JobId, SessionId, UserId } from '../../model/ids.js';

export interface LastActivity {
  readonly atMs: number;
  /** What tells it; `first-seen`: no id does, and it happened then or before. */
  readonly from: 'job-id' | 'session-id' | 'first-seen';
}

export interface ArchivedSession {
  readonly user: UserId;
  readonly session: SessionId;
  readonly state: SessionState;
  /** The newest commit that wrote rows of it: when its last change was seen. */
  readonly changed: {
    readonly commit: number;
    /** The first commit of the run that saw it: within a run the order of commits tells nothing. */
    readonly run: number;
    readonly atMs: number;
  };
  /** When something last happened in it: see `session-age.ts`. */
  readonly activity: LastActivity;
  /** Every commit that wrote rows of it, in order. */
  readonly commits: readonly number[];
  /** The content hash that the log gives for each version of each job, by `versionKey`. */
  readonly hashes: ReadonlyMap<string, string>;
}

export function versionKey(job: JobId, version: number): string {
  return JSON.stringify([version, job]);
}

/** Whether the service should still have it, as far as the log knows. */
export function isLive({ deleted, goneAt }: SessionState): boolean {
  return !deleted && goneAt === null;
}

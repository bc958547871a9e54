/** The facts about one session in the log on which its deletion or expiry is decided. */
import type { JobId, SessionId, UserId } from '../../model/ids.js';
import type { GapEntry, SessionEntry } from '../log/commit.js';
import type { SessionState, JobState } from './user-state.js';

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
  /** When a new job, or another content of one, was seen last in a history that had been read to its end; undefined if never. */
  readonly changeSeenMs?: number | undefined;
  /** Whether a `Date` of the service confirmed the clock of every run that has seen what is newest of it. */
  readonly isClockConfirmed: boolean;
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

/** Whether its answer may still come or change: no export reads a job again whose session is gone from the service. */
export function mayChange(
  { settled }: Pick<JobState, 'settled'>,
  session: Pick<SessionState, 'deleted' | 'goneAt'>,
): boolean {
  return !settled && isLive(session);
}

/** Whether a gap is a doubt whether the session was answered with its own history. */
export function isDoubt({
  shared_with: other,
  lost_below: lost,
}: {
  readonly shared_with?: string | undefined;
  readonly lost_below?: number | undefined;
}): boolean {
  return other !== undefined || lost !== undefined;
}

/** The doubts that the log has of the session. */
export function doubtsOf(known: Pick<SessionState, 'gaps'> | undefined): readonly GapEntry[] {
  return known?.gaps.filter(isDoubt) ?? [];
}

/** The part of a job line that a state keeps. */
export function stateOf(line: JobState): JobState {
  const { version, hash, text_hash, urls, files, settled, seen_at, index, gaps, suspicious } = line;
  const times = { settled, seen_at };
  const standing = {
    ...(line.same_images && { same_images: line.same_images }),
    ...(line.withdrawn && { withdrawn: line.withdrawn }),
  };
  return { version, hash, text_hash, urls, files, ...times, index, gaps, suspicious, ...standing };
}

/** Whether the archive has anything of the session: its row, or one of its questions. */
export function isArchived({
  version,
  archived,
}: Pick<SessionEntry, 'version' | 'archived'>): boolean {
  return version + archived > 0;
}

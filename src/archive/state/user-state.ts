/** The state of one user: the result of replaying the log up to a commit. */
import type { JobId, SessionId, UserId } from '../../model/ids.js';
import type { GapEntry, JobLine, Commit, SessionEntry } from '../log/commit.js';

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
  readonly hasRespondBlock: boolean;
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
/** Likewise for a job without an answer. */
export const WITHOUT_RESPOND_MS = 24 * 3_600_000;

/** Whether the answer of a job is not expected to change any more. */
export function isSettled(facts: SettleFacts): boolean {
  if (!facts.hasRespondBlock) return facts.unchangedForMs >= WITHOUT_RESPOND_MS;
  const isOld = facts.createdAtMs !== null && facts.nowMs - facts.createdAtMs >= facts.settleTimeMs;
  return isOld || facts.unchangedForMs >= AGREEING_READS_MS;
}

/** The facts about one session in the log on which its deletion or expiry is decided. */

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
  /** When it last changed: see `session-summary.ts`. */
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

/** Applies a commit to the state of a user. Pure: a state is exactly what replaying the log gives (I-29 in FORMAT.md). */

type ReplayedCommit = Pick<Commit, 'number' | 'digest' | 'sessions' | 'deletions'>;

/** The state after a newer commit; entries of other users are ignored. */
export function applyCommit(
  state: UserState,
  commit: ReplayedCommit,
  jobs: Iterable<JobLine>,
): UserState {
  const sessions = new Map(state.sessions);
  for (const entry of commit.sessions) {
    if (entry.user !== state.user) continue;
    sessions.set(entry.session, sessionAfter(sessions.get(entry.session), entry));
  }
  for (const [session, changed] of jobsBySession(state, jobs)) {
    const known = sessions.get(session);
    if (known) sessions.set(session, { ...known, ...jobsAfter(known, changed) });
  }
  for (const { user, session } of commit.deletions) {
    const known = sessions.get(session);
    if (user === state.user && known) sessions.set(session, { ...known, deleted: true });
  }
  return { ...state, through: commit.number, throughDigest: commit.digest, sessions };
}

type SessionJobs = Pick<SessionState, 'jobs' | 'withdrawn'>;

/** The newest lines of a session: its jobs, and those that were withdrawn from it. */
export function sortedOut(lines: Iterable<[JobId, JobState]>): SessionJobs {
  const all = inOrder(lines);
  const withdrawn = new Map([...all].filter(([, line]) => line.withdrawn));
  if (withdrawn.size === 0) return { jobs: all, withdrawn };
  return { jobs: new Map([...all].filter(([job]) => !withdrawn.has(job))), withdrawn };
}

/** Jobs in the order of the state: by index, then by id. */
function inOrder(jobs: Iterable<[JobId, JobState]>): ReadonlyMap<JobId, JobState> {
  return new Map([...jobs].sort(([idA, a], [idB, b]) => a.index - b.index || (idA < idB ? -1 : 1)));
}

function sessionAfter(known: SessionState | undefined, entry: SessionEntry): SessionState {
  const { version, meta_hash: metaHash, total, archived, complete, growth, gaps } = entry;
  const { jobs, withdrawn } = known ?? sortedOut([]);
  const goneAt = entry.gone_at;
  // a session that the service lists again is not deleted any more
  const deleted = goneAt !== null && known?.deleted === true;
  const facts = { version, metaHash, total, archived, complete, growth, goneAt, gaps };
  return { ...facts, deleted, jobs, withdrawn };
}

function jobsBySession(
  { user }: UserState,
  jobs: Iterable<JobLine>,
): ReadonlyMap<SessionId, readonly JobLine[]> {
  const bySession = new Map<SessionId, JobLine[]>();
  for (const job of jobs) {
    if (job.user !== user) continue;
    const others = bySession.get(job.session);
    if (others) others.push(job);
    else bySession.set(job.session, [job]);
  }
  return bySession;
}

function jobsAfter({ jobs, withdrawn }: SessionJobs, changed: readonly JobLine[]): SessionJobs {
  const lines = new Map([...jobs, ...withdrawn]);
  for (const line of changed) lines.set(line.job, stateOf(line));
  return sortedOut(lines);
}

/** The entry that a commit would have for a session as it is. */
export function sessionEntryOf(
  user: UserId,
  session: SessionId,
  { version, metaHash, total, archived, complete, growth, goneAt, gaps }: SessionState,
): SessionEntry {
  return {
    user,
    session,
    version,
    meta_hash: metaHash,
    total,
    archived,
    complete,
    growth,
    gone_at: goneAt,
    gaps,
  };
}

/** How a commit changes what is archived of a user: pure, so that a state is nothing but the log replayed (I-29 in FORMAT.md). */
import type { JobId, SessionId } from '../../model/ids.js';
import type { Commit, JobLine, SessionEntry } from './commit.js';
import type { JobState, SessionState, UserState } from '../state/user-state.js';

export type ReplayedCommit = Pick<Commit, 'number' | 'digest' | 'sessions' | 'deletions'>;

/** The state after a commit that is newer than it; other users' entries count for nothing. */
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
    if (known) sessions.set(session, { ...known, jobs: jobsAfter(known.jobs, changed) });
  }
  for (const { user, session } of commit.deletions) {
    const known = sessions.get(session);
    if (user === state.user && known) sessions.set(session, { ...known, deleted: true });
  }
  return { ...state, through: commit.number, throughDigest: commit.digest, sessions };
}

/** Jobs in the order in which they are shown: by index, then by id. */
export function inOrder(jobs: Iterable<[JobId, JobState]>): ReadonlyMap<JobId, JobState> {
  return new Map([...jobs].sort(([idA, a], [idB, b]) => a.index - b.index || (idA < idB ? -1 : 1)));
}

function sessionAfter(known: SessionState | undefined, entry: SessionEntry): SessionState {
  const { version, meta_hash: metaHash, total, archived, complete, growth, gaps } = entry;
  const jobs = known?.jobs ?? new Map<JobId, JobState>();
  const goneAt = entry.gone_at;
  // one that is read from the service again is there again
  const deleted = goneAt !== null && known?.deleted === true;
  return { version, metaHash, total, archived, complete, growth, goneAt, gaps, deleted, jobs };
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

function jobsAfter(
  known: ReadonlyMap<JobId, JobState>,
  changed: readonly JobLine[],
): ReadonlyMap<JobId, JobState> {
  const jobs = new Map(known);
  for (const line of changed) jobs.set(line.job, stateOf(line));
  return inOrder(jobs);
}

/** What a line of the log says of its job. */
export function stateOf(line: JobState): JobState {
  const { version, hash, text_hash, urls, files, settled, seen_at, index, gaps, suspicious } = line;
  return { version, hash, text_hash, urls, files, settled, seen_at, index, gaps, suspicious };
}

/** Applies a commit to the state of a user. Pure: a state is exactly what replaying the log gives (I-29 in FORMAT.md). */
import type { JobId, SessionId, UserId } from '../../model/ids.js';
import { wasFoundGone, type JobLine, type Commit, type SessionEntry } from '../log/commit.js';
import { type UserState, type SessionState, type JobState } from './user-state.js';
import { stateOf } from './archived-session.js';

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
  for (const deletion of commit.deletions) {
    const { user, session, deleted_at: at } = deletion;
    const known = sessions.get(session);
    if (user !== state.user || !known) continue;
    const away = wasFoundGone(deletion) ? { goneAt: known.goneAt ?? at } : { deleted: true };
    sessions.set(session, { ...known, ...away });
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

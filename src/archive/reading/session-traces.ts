/** Finds the users and commits of sessions: a session id alone does not say whose session it is. */
import { rowId, type SessionId, type UserId } from '../../model/ids.js';
import type { LogIndex, WalkOptions } from '../log/log-index.js';

export interface SessionTrace {
  /** Users who have it in the archive: normally one. */
  readonly users: ReadonlySet<UserId>;
  /** Numbers of the commits that change it. */
  readonly commits: ReadonlySet<number>;
}

/**
 * Walks the log once, however many sessions are asked for. A session that is not in it has no trace.
 *
 * @param sessions ids as the log has them, or as rows have them
 * @returns by id, as the log has it
 * @throws {IntegrityError}
 */
export async function traceSessions(
  index: LogIndex,
  sessions: Iterable<string>,
  options: WalkOptions = {},
): Promise<ReadonlyMap<string, SessionTrace>> {
  const ids = new Set<string>(sessions);
  const traces = new Map<SessionId, { users: Set<UserId>; commits: Set<number> }>();
  if (ids.size === 0) return traces;
  const add = (user: UserId, session: SessionId, commits: Iterable<number>): void => {
    if (!ids.has(session) && !ids.has(rowId(session))) return;
    const trace = traces.get(session) ?? { users: new Set(), commits: new Set() };
    traces.set(session, trace);
    trace.users.add(user);
    for (const commit of commits) trace.commits.add(commit);
  };
  const { snapshot } = index;
  for (const { user, sessions: known } of snapshot?.users.values() ?? []) {
    for (const [session, { commits }] of known) add(user, session, commits);
  }
  for await (const commit of index.walk({ ...options, from: index.walkFrom })) {
    for (const { user, session } of [...commit.sessions, ...commit.deletions]) {
      add(user, session, [commit.number]);
    }
  }
  return traces;
}

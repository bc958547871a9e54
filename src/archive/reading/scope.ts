/** The part of an archive that is asked for, and the refusal of users and sessions that are not in it. */
import { meantOf } from '../../base/nearest.js';
import { UsageError } from '../../base/usage-error.js';
import type { UserId } from '../../model/ids.js';
import type { Archive } from '../archive.js';
import { traceSessions, type SessionTrace } from '../log/session-traces.js';

/** What a report, a pack or a search is about. */
export interface Scope {
  /** Empty: all users. */
  readonly users: readonly string[];
  /** Empty: all sessions of the users. */
  readonly sessions: readonly string[];
}

type Indexed = Pick<Archive, 'index' | 'storage'>;

/**
 * Also users of whom nothing could be archived are known.
 *
 * @param archive its index must be up to date
 * @throws {UsageError} a user is not in the archive; the message suggests similar ids
 * @throws {IntegrityError} a users manifest is damaged
 */
export async function assertUsersKnown(
  { index, storage }: Indexed,
  users: readonly string[],
): Promise<void> {
  const archived = new Set<string>(index.users);
  if (users.every((user) => archived.has(user))) return; // no listing need be read
  const known = new Set<string>(await index.allUsers());
  const unknown = users.find((user) => !known.has(user));
  if (unknown !== undefined) throw noSuchUser(storage.location, unknown, known);
}

/**
 * Finds the named sessions in the log: who has each, and in which commits. Walks it only if sessions are named.
 *
 * @param archive its index must be up to date
 * @throws {UsageError} a user is not in the archive, or a session is not, or none of the named users has it, or one of them has none of the sessions
 * @throws {IntegrityError} the log is damaged
 */
export async function traceScope(
  archive: Indexed,
  { users, sessions }: Scope,
  signal?: AbortSignal,
): Promise<ReadonlyMap<string, SessionTrace>> {
  await assertUsersKnown(archive, users);
  const traces = await traceSessions(archive.index, sessions, signal);
  for (const session of sessions) {
    const owners = [...(traces.get(session)?.users ?? [])];
    const isThere = users.length === 0 || owners.some((owner) => users.includes(owner));
    if (owners.length === 0 || !isThere) throw await noSuchSession(archive, session, users);
  }
  const isOwner = (user: string) =>
    [...traces.values()].some((trace) => trace.users.has(user as UserId));
  const without = sessions.length === 0 ? undefined : users.find((user) => !isOwner(user));
  if (without !== undefined) {
    const { location } = archive.storage;
    throw new UsageError(`user "${without}" has none of the sessions named in ${location}`);
  }
  return traces;
}

/** @param known all users of the archive */
export function noSuchUser(location: string, user: string, known: Iterable<string>): UsageError {
  return new UsageError(`${location} has no user "${user}"; ${meantOf('user', user, known)}`);
}

/**
 * Walks the log for ids that may be meant.
 *
 * @param users of whom the session was to be; empty: of anybody
 */
export async function noSuchSession(
  { index, storage }: Indexed,
  session: string,
  users: readonly string[] = [],
): Promise<UsageError> {
  const known = new Set<string>();
  for await (const commit of index.walk({ through: index.through })) {
    const own = commit.sessions.filter(({ user }) => users.length === 0 || users.includes(user));
    for (const entry of own) known.add(entry.session);
  }
  // it may be of another user, or the caller may know a reason why it does not count
  known.delete(session);
  const whose = users.length === 0 ? '' : ' of these users';
  const meant = meantOf('session', session, known);
  return new UsageError(`${storage.location} has no session "${session}"${whose}; ${meant}`);
}

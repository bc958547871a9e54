/** Counts the sessions with gaps and the users not proven complete in the scope of a search, which finds only what is archived. */
import type { Archive } from '../archive/archive.js';
import type { LogIndex } from '../archive/log/log-index.js';
import type { Scope } from '../archive/reading/scope.js';
import { UserListings } from './user-listings.js';

interface ScopeChoice {
  readonly users?: readonly string[] | undefined;
  readonly sessions?: readonly string[] | undefined;
}

export interface DoubtCounts {
  /** Sessions of the scope that have gaps. */
  readonly sessions_with_gaps: number;
  /** Users of the scope that are not proven complete. */
  readonly users_not_proven: number;
}

export interface ScopeDoubts {
  readonly counts: DoubtCounts;
  /** Whether the user is not proven complete, or has a session with gaps in the scope. */
  hasUser(user: string): boolean;
}

/**
 * Reads only the log: the states of all users would take longer than a search. If sessions are named, users
 * are not counted: named sessions need no listing.
 *
 * @param index must be up to date
 */
export async function doubtsIn(
  index: LogIndex,
  listings: UserListings,
  { users, sessions }: Scope,
  signal?: AbortSignal,
): Promise<ScopeDoubts> {
  const [namedUsers, namedSessions] = [new Set(users), new Set<string>(sessions)];
  const doubtful = new Set<string>();
  const counts = { sessions_with_gaps: 0, users_not_proven: 0 };
  const sessionsOf = await archivedSessions(index, signal);
  for (const user of await index.allUsers()) {
    if (namedUsers.size > 0 && !namedUsers.has(user)) continue;
    const archived = sessionsOf.get(user) ?? new Map<string, boolean>();
    for (const [session, isWhole] of archived) {
      if (isWhole || (namedSessions.size > 0 && !namedSessions.has(session))) continue;
      counts.sessions_with_gaps++;
      doubtful.add(user);
    }
    if (namedSessions.size > 0) continue;
    if (listings.isProven(user) && !listings.gapOf(user, archived.size)) continue;
    counts.users_not_proven++;
    doubtful.add(user);
  }
  return { counts, hasUser: (user) => doubtful.has(user) };
}

/** The counts as of the newest commit. Default: of all users and sessions. @throws {IntegrityError} */
export async function countDoubts(
  archive: Archive,
  { users = [], sessions = [] }: ScopeChoice,
  signal: AbortSignal,
): Promise<DoubtCounts> {
  await archive.index.refresh();
  const listings = await UserListings.of(archive);
  return (await doubtsIn(archive.index, listings, { users, sessions }, signal)).counts;
}

/** By user: every session, and whether its newest entry says that it was read to the end, without gaps. */
async function archivedSessions(
  index: LogIndex,
  signal: AbortSignal | undefined,
): Promise<ReadonlyMap<string, ReadonlyMap<string, boolean>>> {
  const sessionsOf = new Map<string, Map<string, boolean>>();
  for await (const commit of index.walk({ through: index.through, signal })) {
    for (const { user, session, complete, gaps } of commit.sessions) {
      const known = sessionsOf.get(user) ?? new Map<string, boolean>();
      sessionsOf.set(user, known.set(session, complete && gaps.length === 0));
    }
  }
  return sessionsOf;
}

export function hasDoubt(counts: DoubtCounts): boolean {
  return counts.sessions_with_gaps > 0 || counts.users_not_proven > 0;
}

/** `2 sessions of the scope have gaps, 1 user is not proven complete`; empty without doubts. */
export function doubtText({
  sessions_with_gaps: sessions,
  users_not_proven: users,
}: DoubtCounts): string {
  const doubts = [];
  if (sessions > 0) {
    doubts.push(
      sessions === 1
        ? '1 session of the scope has gaps'
        : `${sessions} sessions of the scope have gaps`,
    );
  }
  if (users > 0) {
    doubts.push(
      users === 1 ? '1 user is not proven complete' : `${users} users are not proven complete`,
    );
  }
  return doubts.join(', ');
}

/** Counts the sessions with gaps and the users not proven complete in the scope of a search, which finds only what is archived. */
import type { Archive } from '../archive.js';
import type { LogIndex } from '../log/log-index.js';
import { Selection, type Scope } from './scope.js';
import { UserListings } from './user-listings.js';

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
 * @param archive its index must be up to date
 * @param selection the scope of the search, not what it has found
 * @throws {IntegrityError} the log is damaged
 */
export async function doubtsIn(
  { index }: Pick<Archive, 'index'>,
  selection: Selection,
  listings: UserListings,
  signal?: AbortSignal,
): Promise<ScopeDoubts> {
  const sessionsOf = await archivedSessions(index, signal);
  const doubtful = new Set<string>();
  const counts = { sessions_with_gaps: 0, users_not_proven: 0 };
  for (const user of selection.users) {
    const archived = sessionsOf.get(user) ?? new Map<string, boolean>();
    for (const [session, isWhole] of archived) {
      if (isWhole || !selection.hasSession(user, session)) continue;
      counts.sessions_with_gaps++;
      doubtful.add(user);
    }
    if (selection.isNarrowed) continue;
    if (listings.isProven(user) && !listings.gapOf(user, archived.size)) continue;
    counts.users_not_proven++;
    doubtful.add(user);
  }
  return { counts, hasUser: (user) => doubtful.has(user) };
}

/** The counts as of the newest commit. @throws {UsageError} a user or a session is not in the archive */
export async function countDoubts(
  archive: Archive,
  scope: Scope,
  signal: AbortSignal,
): Promise<DoubtCounts> {
  await archive.index.refresh();
  const selection = await Selection.of(archive, scope, signal);
  return (await doubtsIn(archive, selection, await UserListings.of(archive), signal)).counts;
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

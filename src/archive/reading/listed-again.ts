/** Sessions that several spellings of a user list: each is one session, and counts for one of them. */
import type { Archive } from '../archive.js';
import { groupBy } from '../../base/group-by.js';
import { rowId, type SessionId, type UserId } from '../../model/ids.js';
import { foldedUser, otherSpellings } from '../../model/user-spelling.js';

/** A session as a spelling of its user has it for which it does not count. */
export interface ListedAgain {
  readonly user: UserId;
  readonly session: SessionId;
  /** The spelling for which it counts. */
  readonly countsFor: UserId;
  /** How many jobs it has where it does not count. */
  readonly jobs: number;
}

/** A user whose id is another spelling of one that is named. */
export interface OtherSpelling {
  readonly user: UserId;
  /** Whether both list the same session: then they are one person. */
  readonly is_same: boolean;
}

/** Those of the known users, as the log has them, who are spellings of these and none of these. */
export function otherSpellingsOf(
  users: readonly string[],
  known: readonly UserId[],
  listedAgain: readonly ListedAgain[],
): OtherSpelling[] {
  const named = new Set(users.map(rowId));
  const isNamed = (user: UserId): boolean => named.has(rowId(user));
  return otherSpellings(users, known)
    .filter((user) => !isNamed(user))
    .map((other) => ({
      user: other,
      is_same: listedAgain.some(
        ({ user, countsFor }) =>
          (user === other && isNamed(countsFor)) || (countsFor === other && isNamed(user)),
      ),
    }));
}

/** @param archive its index must be up to date @param users as the log has them, or as rows have them @throws {IntegrityError} */
export async function otherSpellingsIn(
  archive: Pick<Archive, 'index' | 'states'>,
  users: readonly string[],
): Promise<OtherSpelling[]> {
  if (users.length === 0) return [];
  const known = await archive.index.allUsers();
  if (otherSpellings(users, known).length === 0) return [];
  return otherSpellingsOf(users, known, await sessionsListedAgain(archive));
}

/**
 * Orders the spellings of a user: the one that the newest run has listed comes first, of one run the first in the alphabet.
 *
 * @throws {IntegrityError} a users manifest is damaged
 */
async function newestSpellingFirst(
  index: Archive['index'],
): Promise<(a: UserId, b: UserId) => number> {
  const listings = await index.listings();
  const listedBy = (user: UserId): number => {
    const listing = listings.get(user)?.last;
    return listing ? (index.commit(listing.commit)?.runBegan ?? 0) : 0;
  };
  return (a, b) => listedBy(b) - listedBy(a) || (a < b ? -1 : 1);
}

/** By each of these users who has another spelling that comes first: that one. */
export async function newestSpellings(
  index: Archive['index'],
  users: readonly UserId[],
): Promise<ReadonlyMap<UserId, UserId>> {
  const people = [...groupBy(users, foldedUser).values()].filter(({ length }) => length > 1);
  if (people.length === 0) return new Map();
  const byNewest = await newestSpellingFirst(index);
  return new Map(
    people.flatMap((spellings) => {
      const [first, ...others] = spellings.toSorted(byNewest);
      return first === undefined ? [] : others.map((user) => [user, first] as const);
    }),
  );
}

/**
 * Finds sessions that several spellings of a user list. A session counts for the first that has it, in the order
 * of `newestSpellingFirst`. So what was archived before somebody
 * corrected an id counts under the new one.
 *
 * @param archive its index must be up to date
 * @throws {IntegrityError} the log is damaged
 */
export async function sessionsListedAgain({
  index,
  states,
}: Pick<Archive, 'index' | 'states'>): Promise<ListedAgain[]> {
  const people = [...groupBy(index.users, foldedUser).values()].filter(({ length }) => length > 1);
  if (people.length === 0) return [];
  const byNewest = await newestSpellingFirst(index);
  const again: ListedAgain[] = [];
  for (const spellings of people) {
    const counted = new Map<SessionId, UserId>();
    for (const user of spellings.toSorted(byNewest)) {
      const { sessions } = await states.loadAsOf(user, index.through);
      for (const [session, { jobs }] of sessions) {
        const countsFor = counted.get(session);
        if (countsFor === undefined) counted.set(session, user);
        else again.push({ user, session, countsFor, jobs: jobs.size });
      }
    }
  }
  return again;
}

/** How many sessions each two spellings list; the one for which they count comes first. */
export function spellingPairs(
  listedAgain: readonly ListedAgain[],
): { readonly users: readonly [UserId, UserId]; readonly sessions: number }[] {
  const pairs = new Map<string, { readonly users: [UserId, UserId]; sessions: number }>();
  for (const { user, countsFor } of listedAgain) {
    const key = JSON.stringify([countsFor, user]);
    const pair = pairs.get(key) ?? { users: [countsFor, user], sessions: 0 };
    pairs.set(key, pair);
    pair.sessions++;
  }
  return [...pairs.values()];
}

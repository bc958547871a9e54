/** Whether two user ids are spellings of one: a service may take `Ana` for `ana`. */
import { TextSet } from '../base/text/text-set.js';
import { sessionKey } from './ids.js';

/**
 * The form in which spellings are equal: NFC, without white space around it, and in one case.
 *
 * Two ids of one form may still be two users: what is decided by it must be harmless if they are.
 */
export function foldedUser(user: string): string {
  // down, then up: ẞ, ß and ss become one, which neither way alone achieves
  return user.normalize('NFC').trim().toLowerCase().toUpperCase().normalize('NFC');
}

/** The known users who are spellings of one of these, and not one of these. */
export function otherSpellings<Id extends string>(
  users: readonly string[],
  known: readonly Id[],
): Id[] {
  const folded = new Set(users.map(foldedUser));
  return known.filter((user) => !users.includes(user) && folded.has(foldedUser(user)));
}

export function isSameUser(a: string, b: string): boolean {
  return foldedUser(a) === foldedUser(b);
}

/** How many users these are: all spellings of one count once. */
export function userCount(users: Iterable<string>): number {
  const folded = new TextSet();
  for (const user of users) folded.add(foldedUser(user));
  return folded.size;
}

/** The key of a session, whichever spelling of its user lists it. */
export function keyOfAnySpelling(user: string, session: string): string {
  return sessionKey(foldedUser(user), session);
}

/** The first of each: a session that several spellings of a user list is one. */
export function eachSessionOnce<
  Session extends { readonly user: string; readonly session: string },
>(sessions: readonly Session[]): Session[] {
  const known = new Set<string>();
  return sessions.filter(({ user, session }) => {
    const key = keyOfAnySpelling(user, session);
    return !known.has(key) && known.add(key);
  });
}

export interface CountsFor {
  /** The spelling of the user for which the session counts; null where it counts for its own. */
  readonly counts_for: string | null;
}

/** Those that count for their own users: the sums of these are the counts. */
export function counting<Session extends CountsFor>(sessions: readonly Session[]): Session[] {
  return sessions.filter(({ counts_for: other }) => other === null);
}

/**
 * Each with the spelling for which it counts, as the view `sessions_listed_again` names it, and null where it counts
 * itself: the others add up to the counts.
 *
 * @param counting those that count
 */
export function withCountsFor<Session extends { readonly user: string; readonly session: string }>(
  sessions: readonly Session[],
  counting: readonly Session[],
): (Session & CountsFor)[] {
  const users = new Map(
    counting.map(({ user, session }) => [keyOfAnySpelling(user, session), user]),
  );
  return sessions.map((element) => {
    const { user, session } = element;
    const countsFor = users.get(keyOfAnySpelling(user, session)) ?? user;
    return { ...element, counts_for: countsFor === user ? null : countsFor };
  });
}

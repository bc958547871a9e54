/** Sessions that several spellings of a user list: each is one session, and counts for one of them. */
import type { Archive } from '../../archive.js';
import { isLive } from '../../state/archived-session.js';
import type { GapEntry } from '../../log/commit.js';
import type { SessionState, UserState } from '../../state/user-state.js';
import { groupBy } from '../../../base/group-by.js';
import { isDoubted } from '../../../model/gap-counts.js';
import {
  asJobId,
  asSessionId,
  asUserId,
  rowId,
  sessionKey,
  type SessionId,
  type UserId,
} from '../../../model/ids.js';
import {
  type CountsFor,
  eachSessionOnce,
  foldedUser,
  otherSpellings,
  withCountsFor,
} from '../../../model/user-spelling.js';
import { listingsRead } from './user-listings.js';

/** A session as a spelling of its user has it for which it does not count. */
export interface ListedAgain {
  readonly user: UserId;
  readonly session: SessionId;
  /** The spelling for which it counts. */
  readonly countsFor: UserId;
  /** How many jobs it has where it does not count. */
  readonly jobs: number;
  /** What of it is not there where it counts: no count has that. */
  readonly uncounted: Lacked;
}

/** What a session has as one spelling of its user lists it, and lacks as another does. */
interface Lacked {
  readonly questions: number;
  /** How many files of questions that both have. */
  readonly files: number;
}

const NOTHING: Lacked = { questions: 0, files: 0 };

/** A session of a list in which several spellings of a user may list it. */
export type Counted<Session> = Session &
  CountsFor & {
    /** How many questions it has that it has not where it counts: no count has them. */
    readonly only_here: number;
  };

/** A session as a spelling of its user has it. */
interface SpeltSession {
  readonly jobs: number;
  /** What of it the session lacks as another spelling has it; only where it lacks any. */
  readonly lackedBy: ReadonlyMap<UserId, Lacked>;
  /** Whether the service still has it, as far as this spelling shows. */
  readonly isLive: boolean;
  readonly isWhole: boolean;
  /** As `lastListed` says it of the spelling. */
  readonly listed: number;
}

/** Whether the session counts under this spelling, rather than under the other, which comes before it. */
function countsBefore(one: SpeltSession, other: SpeltSession): boolean {
  if (one.isLive !== other.isLive) return one.isLive;
  if (one.listed !== other.listed) return one.listed > other.listed;
  if (one.jobs !== other.jobs) return one.jobs > other.jobs;
  return one.isWhole && !other.isWhole;
}

/** What each other spelling that has the session lacks of it, if anything. */
function lackedBySpelling(
  session: SessionId,
  here: SessionState,
  spellings: ReadonlyMap<UserId, UserState['sessions']>,
): ReadonlyMap<UserId, Lacked> {
  const lackedBy = new Map<UserId, Lacked>();
  const lostHere = new Set(here.gaps.map(placeOfFile));
  for (const [other, sessions] of spellings) {
    const there = sessions.get(session);
    if (!there || there === here) continue;
    const questions = [...here.jobs.keys()].filter((job) => !there.jobs.has(job)).length;
    const isHere = (gap: GapEntry): boolean =>
      gap.job !== null && here.jobs.has(asJobId(gap.job)) && !lostHere.has(placeOfFile(gap));
    const files = there.gaps.filter((gap) => isLostFile(gap) && isHere(gap)).length;
    if (questions + files > 0) lackedBy.set(other, { questions, files });
  }
  return lackedBy;
}

function isLostFile(gap: GapEntry): boolean {
  return gap.role !== null && !isDoubted(gap);
}

function placeOfFile({ job, role, block_index: block, file_index: file }: GapEntry): string {
  return JSON.stringify([job, role, block, file]);
}

/** The first commit of the newest run that has read a listing of the user to its end; 0 of none. @throws {IntegrityError} */
export async function lastListed(index: Archive['index']): Promise<(user: UserId) => number> {
  const read = await listingsRead(index);
  return (user) => {
    const listing = read(user).last;
    return listing ? (index.commit(listing.commit)?.runBegan ?? 0) : 0;
  };
}

/** A user whose id is another spelling of one that is named. */
export interface OtherSpelling {
  readonly user: UserId;
  /** Whether it is the same person for certain, as `Spellings` says. */
  readonly is_same: boolean;
  /** How many sessions the archive has that no named spelling lists, nor one that comes before this one. */
  readonly sessions_elsewhere: number;
  /** How many questions it has that the named spelling lacks, in sessions that both list: those of the others go with them. */
  readonly questions_lacked: number;
  /** How many files of questions of both it has that the named spelling lacks. */
  readonly files_lacked: number;
}

/** Whether another spelling that is not in scope has sessions or questions of the user, for certain or perhaps. */
export function mayHaveMoreOf(user: UserId, other: OtherSpelling): boolean {
  const { sessions_elsewhere: sessions, questions_lacked: questions, files_lacked: files } = other;
  const hasMore = !other.is_same || sessions + questions + files > 0;
  return hasMore && foldedUser(other.user) === foldedUser(user);
}

/**
 * Users whose ids differ only in how they are spelt, with what each lists. Two of them are one person where both list
 * the same session, or where a third lists one with each; of others the archive does not tell it, and they are two.
 */
export class Spellings {
  /** Each session counts for one of the spellings that have it (`SpeltSession`). */
  readonly listedAgain: readonly ListedAgain[];
  /** By each user who is the same person as one who comes first: that one. */
  readonly people: ReadonlyMap<UserId, UserId>;
  /** How many jobs each session of such a user has; of all who have another spelling. */
  readonly #sessions: ReadonlyMap<UserId, ReadonlyMap<SessionId, SpeltSession>>;

  /** @param sessions of the users, the spelling that comes first at first */
  private constructor(
    sessions: ReadonlyMap<UserId, ReadonlyMap<SessionId, SpeltSession>>,
    people = new Map<UserId, UserId>(),
  ) {
    this.#sessions = sessions;
    const again: ListedAgain[] = [];
    const best = new Map<string, UserId>();
    for (const [user, ofUser] of sessions) {
      for (const [session, spelt] of ofUser) {
        const key = sessionKey(foldedUser(user), session);
        const known = sessions.get(best.get(key) ?? user)?.get(session) ?? spelt;
        if (known === spelt || countsBefore(spelt, known)) best.set(key, user);
      }
    }
    for (const [user, ofUser] of sessions) {
      for (const [session, { jobs, lackedBy }] of ofUser) {
        const countsFor = best.get(sessionKey(foldedUser(user), session)) ?? user;
        if (countsFor === user) continue;
        again.push({
          user,
          session,
          countsFor,
          jobs,
          uncounted: lackedBy.get(countsFor) ?? NOTHING,
        });
      }
    }
    const spellings = groupBy(sessions.keys(), foldedUser);
    for (const { user, countsFor } of again) {
      if ((people.get(user) ?? user) === (people.get(countsFor) ?? countsFor)) continue;
      const order = spellings.get(foldedUser(user)) ?? [];
      const [a, b] = [people.get(user) ?? user, people.get(countsFor) ?? countsFor];
      const person = order.indexOf(a) < order.indexOf(b) ? a : b;
      for (const other of order) {
        const known = people.get(other) ?? other;
        if (other !== person && (known === a || known === b)) people.set(other, person);
      }
    }
    this.listedAgain = again;
    this.people = people;
  }

  /**
   * A session counts for the spelling that still lists it, then for the one that the newest run has listed: so what was
   * archived before somebody corrected an id counts under the new one. Only a listing that was read to its end counts. Of one run it counts where it has more
   * questions, then where it was read whole, then for the first in the alphabet.
   *
   * @param archive its index must be up to date
   * @throws {IntegrityError} the log is damaged
   */
  static async in(archive: Archive): Promise<Spellings> {
    const { index, identity } = archive;
    // pseudonyms are no spellings: a copy has noted what its original showed
    if (identity.pseudonymised) return Spellings.#noted(identity.pseudonymised.people);
    const spelt = [...groupBy(index.users, foldedUser).values()].filter(({ length }) => length > 1);
    if (spelt.length === 0) return new Spellings(new Map());
    const listedBy = await lastListed(index);
    const newestFirst = (a: UserId, b: UserId) => listedBy(b) - listedBy(a) || (a < b ? -1 : 1);
    const users = spelt.flatMap((spellings) => spellings.toSorted(newestFirst));
    return Spellings.#read(archive, users, { through: index.through, listedBy });
  }

  static #noted(noted: readonly (readonly string[])[] = []): Spellings {
    const people = noted.flatMap(([first = '', ...others]) =>
      others.map((other) => [asUserId(other), asUserId(first)] as const),
    );
    return new Spellings(new Map(), new Map(people));
  }

  /**
   * The spellings of users whom one run has listed, as of its end.
   *
   * @param last the run's last commit
   */
  static async ofRun(archive: Archive, users: readonly UserId[], last: number): Promise<Spellings> {
    return Spellings.#read(archive, users.toSorted(), { through: last, listedBy: () => 0 });
  }

  /** @param users the spelling that comes first at first */
  static async #read(
    { states }: Archive,
    users: readonly UserId[],
    at: { readonly through: number; readonly listedBy: (user: UserId) => number },
  ): Promise<Spellings> {
    const sessions = new Map<UserId, ReadonlyMap<SessionId, SpeltSession>>();
    for (const spellings of groupBy(users, foldedUser).values()) {
      const read = new Map<UserId, UserState['sessions']>();
      for (const user of spellings) {
        read.set(user, (await states.loadAsOf(user, at.through)).sessions);
      }
      for (const [user, ofUser] of read) {
        const listed = at.listedBy(user);
        const spelt = new Map<SessionId, SpeltSession>();
        for (const [session, state] of ofUser) {
          spelt.set(session, {
            jobs: state.jobs.size,
            lackedBy: lackedBySpelling(session, state, read),
            isLive: isLive(state),
            isWhole: state.complete,
            listed,
          });
        }
        sessions.set(user, spelt);
      }
    }
    return new Spellings(sessions);
  }

  /**
   * Says of each session for which of these it counts: where the spelling for which it counts in all of the archive is among
   * these, for that one.
   */
  countedOnce<Session extends { readonly user: string; readonly session: string }>(
    sessions: readonly Session[],
  ): Counted<Session>[] {
    const counting = eachSessionOnce(this.countingFirst(sessions));
    return withCountsFor(sessions, counting).map((element) => {
      const { user, session, counts_for: countsFor } = element;
      const here = this.#sessions.get(asUserId(user))?.get(asSessionId(session));
      const lacked = countsFor === null ? NOTHING : here?.lackedBy.get(asUserId(countsFor));
      return { ...element, only_here: lacked?.questions ?? 0 };
    });
  }

  /** In their order, but those first that count for their own users. */
  countingFirst<Session extends { readonly user: string; readonly session: string }>(
    sessions: readonly Session[],
  ): Session[] {
    const again = new Set(this.listedAgain.map(({ user, session }) => sessionKey(user, session)));
    const isAgain = ({ user, session }: Session) => Number(again.has(sessionKey(user, session)));
    return sessions.toSorted((one, other) => isAgain(one) - isAgain(other));
  }

  /** Users in their order, the spellings of one beside each other: that which was listed last first, as its sessions count. */
  spellingsInOrder(users: readonly UserId[]): UserId[] {
    const places = new Map([...this.#sessions.keys()].map((user, place) => [user, place]));
    const placeOf = (user: UserId): number => places.get(user) ?? 0;
    return [...groupBy(users, foldedUser).values()].flatMap((spellings) =>
      spellings.toSorted((one, other) => placeOf(one) - placeOf(other)),
    );
  }

  /** The spelling under which a person is counted. */
  personOf(user: UserId): UserId {
    return this.people.get(user) ?? user;
  }

  /** Those of the known users, as the log has them, who are spellings of these and none of these. */
  othersOf(users: readonly string[], known: readonly UserId[]): OtherSpelling[] {
    if (users.length === 0) return [];
    const named = new Set(users.map(rowId));
    const others = otherSpellings(users, known);
    // by each session that is listed here: the spellings that list it, the named ones at first
    const listing = new Map<string, UserId[]>();
    const people = new Set<UserId>();
    for (const [user, sessions] of this.#sessions) {
      if (!named.has(rowId(user))) continue;
      people.add(this.personOf(user));
      for (const session of sessions.keys()) {
        const key = sessionKey(foldedUser(user), session);
        listing.set(key, [...(listing.get(key) ?? []), user]);
      }
    }
    return others
      .filter((user) => !named.has(rowId(user)))
      .map((user) => {
        let [sessions, questions, files] = [0, 0, 0];
        for (const [session, { lackedBy }] of this.#sessions.get(user) ?? []) {
          const key = sessionKey(foldedUser(user), session);
          const listed = listing.get(key) ?? [];
          if (listed.length === 0) sessions++;
          const lacked = listed.map((one) => lackedBy.get(one) ?? NOTHING);
          if (lacked.length > 0) {
            questions += Math.min(...lacked.map((one) => one.questions));
            files += Math.min(...lacked.map((one) => one.files));
          }
          listing.set(key, [...listed, user]);
        }
        return {
          user,
          is_same: people.has(this.personOf(user)),
          sessions_elsewhere: sessions,
          questions_lacked: questions,
          files_lacked: files,
        };
      });
  }
}

/** @param archive its index must be up to date @param users as the log has them, or as rows have them @throws {IntegrityError} */
export async function otherSpellingsIn(
  archive: Archive,
  users: readonly string[],
): Promise<OtherSpelling[]> {
  if (users.length === 0) return [];
  const known = await archive.index.allUsers();
  if (otherSpellings(users, known).length === 0) return [];
  return (await Spellings.in(archive)).othersOf(users, known);
}

/** `Spellings.countedOnce`, where any of these is listed twice. @param archive its index must be up to date @throws {IntegrityError} */
export async function countedOnce<
  Session extends { readonly user: string; readonly session: string },
>(archive: Archive, sessions: readonly Session[]): Promise<Counted<Session>[]> {
  if (eachSessionOnce(sessions).length === sessions.length) {
    return sessions.map((session) => ({ ...session, counts_for: null, only_here: 0 }));
  }
  return (await Spellings.in(archive)).countedOnce(sessions);
}

/** What is of these sessions only where they do not count. */
export function uncountedIn(listedAgain: readonly ListedAgain[]): Lacked {
  return {
    questions: listedAgain.reduce((sum, { uncounted }) => sum + uncounted.questions, 0),
    files: listedAgain.reduce((sum, { uncounted }) => sum + uncounted.files, 0),
  };
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

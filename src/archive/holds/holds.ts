/** What must neither be deleted nor erased: users, sessions, and sessions of one user. In doubt, a hold applies. */
import { UsageError } from '../../base/error.js';
import { sessionKey } from '../../model/ids.js';
import { foldedUser, isSameUser } from '../../model/user-spelling.js';
import type { Archive } from '../archive.js';
import type { HoldRecord } from '../log/notes.js';

/** `id` matches a user and a session alike; `user` and `session` together match that session of that user. */
export interface HoldTarget {
  readonly id?: string | undefined;
  readonly user?: string | undefined;
  readonly session?: string | undefined;
}

export interface Hold {
  /** All meanings of the entry: each of them is held. */
  readonly readings: readonly HoldTarget[];
  /** Where it was read, for messages: `--hold-file holds.txt, line 3 ("a1")`. */
  readonly source: string;
  /** Whether it may match nothing: a line that is probably a heading. */
  readonly isOptional?: boolean | undefined;
  /** Whether it stands in the archive's log, where `hold release` ends it. */
  readonly isInLog?: boolean | undefined;
}

/** The form in which ids are compared: without white space around them, accented letters normalised. For users see `foldedUser`. */
export function heldForm(id: string): string {
  return id.trim().normalize('NFC');
}

/** Who lists a session of a held user is the same person until proven otherwise: users that were renamed keep their sessions. */
export interface SamePersons {
  /** The held user of each user who is the same person, by the spelling in the log. */
  readonly users: ReadonlyMap<string, string>;
  /** The held user of each session of theirs. */
  readonly sessions: ReadonlyMap<string, string>;
}

const NOBODY: SamePersons = { users: new Map(), sessions: new Map() };

export class Holds {
  static readonly none = new Holds([]);
  readonly #sessions = new Set<string>();
  /** As a hold spells each of them, by `foldedUser`. */
  readonly #users = new Map<string, string>();
  readonly #exactUsers = new Set<string>();
  /** The user of each pair, by the session's key with that spelling. */
  readonly #pairs = new Map<string, string>();
  /** Spellings of users of whom one session or all are held. */
  readonly #named = new Set<string>();
  /** Sessions that the archive has seen under a held user: under which. */
  readonly #seen: ReadonlyMap<string, string>;
  readonly #same: SamePersons;

  /** @param seen sessions, and `same` persons, as `HeldSessions` finds them */
  constructor(
    readonly entries: readonly Hold[],
    seen: ReadonlyMap<string, string> = new Map(),
    same: SamePersons = NOBODY,
  ) {
    this.#seen = seen;
    this.#same = same;
    for (const target of entries.flatMap(({ readings }) => readings)) this.#add(target);
  }

  /** Holds in force, as of the newest commit that the index knows. @param without ids of holds that do not count */
  static inLog({ index }: Archive, without: ReadonlySet<string> = new Set()): Holds {
    const binding = index.holds.filter(({ id, release }) => release === null && !without.has(id));
    return new Holds(
      binding.map(({ user, session, since, by, reason, request }) => ({
        readings: [user === null ? { session: session ?? '' } : { user }],
        source: `the hold of ${since.slice(0, 10)} that ${by} asked for (${quoted(reason)}${requestText(index, request)})`,
        isOptional: true,
        isInLog: true,
      })),
    );
  }

  with(others: Holds): Holds {
    return new Holds([...this.entries, ...others.entries]);
  }

  /**
   * A session beside a user of which the archive has no such pair may be a number beside an id, or a user misspelt: then
   * each of the two is held as what it may be.
   *
   * @param hasSeen of a key as `pairKey` makes it
   */
  withUnseenPairsAsIds(hasSeen: (pair: string) => boolean): Holds {
    const entries = this.entries.map((entry) => {
      const ids = entry.readings.flatMap(({ user, session }) => {
        const isPair = user !== undefined && session !== undefined;
        return isPair && !hasSeen(pairKey(user, session)) ? [{ id: user }, { id: session }] : [];
      });
      return ids.length === 0 ? entry : { ...entry, readings: [...entry.readings, ...ids] };
    });
    return new Holds(entries, this.#seen, this.#same);
  }

  /** The targets of all readings, each once. */
  get targets(): readonly HoldTarget[] {
    const all = this.entries.flatMap(({ readings }) => readings);
    return [...new Map(all.map((target) => [JSON.stringify(target), target])).values()];
  }

  /** Whether a hold names the user or a session of the user, in whatever spelling. */
  namesUser(user: string): boolean {
    return this.#named.has(foldedUser(user));
  }

  holdsUser(user: string): boolean {
    return this.#users.has(foldedUser(user));
  }

  /** Why the user is held, as a sentence; undefined if the user is not held. */
  userReason(user: string): string | undefined {
    const same = this.#same.users.get(user);
    const why = same === undefined ? undefined : `the user is on hold: ${samePersonText(same)}`;
    return this.#namedReason(user, 'the user') ?? why;
  }

  #namedReason(user: string, subject: string): string | undefined {
    const held = this.#users.get(foldedUser(user));
    if (held === undefined) return undefined;
    const isExact = this.#exactUsers.has(heldForm(user));
    return isExact ? `${subject} is on hold` : `${subject} is on hold as ${quoted(held)}`;
  }

  /** Why the session is held, as a sentence; undefined if it is not held. */
  reasonFor(user: string, session: string): string | undefined {
    const id = heldForm(session);
    if (this.#sessions.has(id)) return 'the session is on hold';
    const pair = this.#pairs.get(pairKey(user, id));
    if (pair !== undefined) {
      const isExact = heldForm(pair) === heldForm(user);
      return isExact
        ? 'the session is on hold'
        : `the session is on hold as one of ${quoted(pair)}`;
    }
    const held = this.#namedReason(user, 'its user');
    if (held !== undefined) return held;
    const owner = this.#seen.get(id);
    if (owner !== undefined)
      return `the session is on hold: the archive has seen it under ${quoted(owner)}`;
    const same = this.#same.users.get(user) ?? this.#same.sessions.get(id);
    return same === undefined ? undefined : `the session is on hold: ${samePersonText(same)}`;
  }

  /** The held user of whom one of these sessions is: who lists them is the same person until proven otherwise. */
  heldUserAmong(sessions: Iterable<string>): string | undefined {
    for (const session of sessions) {
      const id = heldForm(session);
      const owner = this.#seen.get(id) ?? this.#same.sessions.get(id);
      if (owner !== undefined && this.holdsUser(owner)) return owner;
    }
    return undefined;
  }

  /** Users who are held, because they are the same person as one whom a hold names. */
  get samePersons(): Iterable<string> {
    return this.#same.users.keys();
  }

  withSamePersons(same: SamePersons): Holds {
    return new Holds(this.entries, this.#seen, same);
  }

  /** Sessions that the archive has seen under a user of whom all are held: under which. */
  get sessionsOfUsers(): Map<string, string> {
    return new Map([...this.#seen].filter(([, owner]) => this.holdsUser(owner)));
  }

  /** The holds that bind a user, or a session of the user. */
  bindingOn(user: string, session?: string): readonly Hold[] {
    const id = session === undefined ? undefined : heldForm(session);
    const owner =
      (id !== undefined && (this.#seen.get(id) ?? this.#same.sessions.get(id))) ||
      this.#same.users.get(user);
    return this.entries.filter((entry) => {
      const hold = new Holds([entry]);
      if (session === undefined)
        return hold.holdsUser(user) || (owner !== undefined && hold.holdsUser(owner));
      const isOwn = hold.reasonFor(user, session) !== undefined;
      return isOwn || (owner !== undefined && hold.holdsUser(owner));
    });
  }

  #add({ id, user, session }: HoldTarget): void {
    if (id !== undefined) this.#addUser(id);
    if (id !== undefined || user === undefined) this.#sessions.add(heldForm(id ?? session ?? ''));
    else if (session === undefined) this.#addUser(user);
    else {
      this.#named.add(foldedUser(user));
      const key = pairKey(user, session);
      if (!this.#pairs.has(key)) this.#pairs.set(key, user);
    }
  }

  #addUser(id: string): void {
    const spelling = foldedUser(id);
    this.#named.add(spelling);
    this.#exactUsers.add(heldForm(id));
    if (!this.#users.has(spelling)) this.#users.set(spelling, id);
  }
}

/** Why, as a clause. */
export function samePersonText(held: string): string {
  return `its user counts as the same person as ${quoted(held)}, renamed: they have sessions in common, directly or through other users`;
}

/** The session of the user, in whatever spelling. */
export function pairKey(user: string, session: string): string {
  return sessionKey(foldedUser(user), heldForm(session));
}

/** `, for request "Matter 7", which is open`; empty without one. */
function requestText({ requests }: Archive['index'], id: string | null): string {
  const request = requests.find((candidate) => candidate.id === id);
  if (!request) return '';
  return `, for request ${quoted(request.name)}, which is ${request.closed ? 'closed' : 'open'}`;
}

function quoted(id: string): string {
  return JSON.stringify(id);
}

/** The end of a hold's id, which people type. The beginning is a time: holds of one commit have it in common. */
export function shortHoldId({ id }: HoldRecord): string {
  return id.slice(-SHORT_ID);
}

/** Characters of 5 bits. */
export const SHORT_ID = 8;

/** A hold of the log, and whom it binds beside the user or session that it names. */
export interface BindingHold extends HoldRecord {
  /** Users of the archive whose ids are other spellings of its user's; of a hold that was released nobody. */
  readonly spellings: ReadonlySet<string>;
  /** Users who count as the same person as its user; of a hold that was released nobody. */
  readonly samePersons: ReadonlySet<string>;
}

/**
 * The holds of a user and of sessions, those that were released among them, in the order in which they were set.
 *
 * @param sessions of the user
 */
export function holdsOn(
  holds: readonly BindingHold[],
  user: string,
  sessions: Iterable<string>,
): BindingHold[] {
  const ids = new Set(Array.from(sessions, heldForm));
  return holds.filter(
    (hold) =>
      (hold.user !== null && isSameUser(hold.user, user)) ||
      hold.samePersons.has(user) ||
      (hold.session !== null && ids.has(heldForm(hold.session))),
  );
}

/** As whom a hold is told that binds a user: as the one whom it names, in whatever spelling the user is here. */
export function heldAs({ user: named }: HoldRecord, user: string): string {
  return named !== null && isSameUser(named, user) ? named : user;
}

/** `; lena counts as the same person as tom, on hold: …`; empty of a hold that names the user or a session. */
export function boundAsText(hold: BindingHold, user: string): string {
  if (!hold.samePersons.has(user)) return '';
  return `; ${user} counts as the same person as ${hold.user ?? ''}, on hold: they have conversations in common, directly or through other users`;
}

/**
 * Checks that every hold matches something: a misspelt one would protect nobody.
 *
 * @throws {UsageError} a hold matches no user and no session that the archive has ever had
 */
export async function assertHoldsKnown(archive: Archive, holds: Holds): Promise<void> {
  let open = holds.entries.filter(({ isOptional }) => isOptional !== true);
  const { index, states } = archive;
  await index.refresh();
  const { through } = index;
  for (const user of index.users) {
    if (open.length === 0) return;
    const { sessions } = await states.loadAsOf(user, through);
    open = open.filter((hold) => !isSeen(new Holds([hold]), user, sessions.keys()));
  }
  const [first] = open;
  if (!first) return;
  const others = open.length === 1 ? '' : `, and ${open.length - 1} more`;
  throw new UsageError(
    `${first.source} matches no user and no session of ${archive.storage.location}${others}; correct it, or pass --allow-unknown-holds`,
  );
}

function isSeen(hold: Holds, user: string, sessions: Iterable<string>): boolean {
  if (hold.holdsUser(user)) return true;
  for (const session of sessions) if (hold.reasonFor(user, session) !== undefined) return true;
  return false;
}

/**
 * Finds jobs that occur in two sessions: then the service may have answered the one with the history of the other.
 * Job ids are unique within a session only, so an equal id proves nothing unless it carries a time or 96 random bits;
 * a whole history of two jobs and more that is equal in ids and contents does.
 */
import { isUniqueId, isSameUser } from '../../model/ids.js';
import type { SessionState } from '../state/user-state.js';
import { hash } from 'node:crypto';

/** Session ids are unique in a project: a session that two users list is one session. */
export interface SessionRef {
  readonly user: string;
  readonly session: string;
}

export interface HistoryFacts extends SessionRef {
  /** Ids of jobs that are in the history; read more than once. */
  readonly ids: ReadonlySet<string> | readonly string[];
  /** Content hash of every job of the history; undefined if not all of it is known. */
  readonly whole: ReadonlyMap<string, string> | undefined;
}

export class SharedJobs {
  readonly #table: KeyTable;
  readonly #sessions: SessionRef[] = [];
  /** Of the newest sessions that were added, their numbers. */
  readonly #mostSessions: number;

  /** @param mostSlots for tests */
  constructor(mostSlots?: number) {
    this.#table = new KeyTable(mostSlots);
    // a session's ids cost about as much as ten keys
    this.#mostSessions = this.#table.mostSlots / 8;
  }

  /** Whether a further session may not be kept. */
  get isFull(): boolean {
    return this.#table.isFull || this.#sessions.length >= this.#mostSessions;
  }

  /** The sessions, other than this one, that have a job of it. */
  othersWith(history: HistoryFacts): SessionRef[] {
    const found = new Map<string, SessionRef>();
    for (const key of keysOf(history)) {
      const other = this.#refOf(key);
      if (other && other.session !== history.session) found.set(other.session, other);
    }
    return [...found.values()];
  }

  /** Whether the session was added as one that is known from before, and some of these jobs came with it. */
  isEstablishedIn({ session, ids }: HistoryFacts): boolean {
    if (this.#table.get(keyOfEstablished(session)) === undefined) return false;
    return [...ids].some((id) => this.#refOf(keyOfJob(id))?.session === session);
  }

  /** The session as it was added; undefined if it was not. */
  find(session: string): SessionRef | undefined {
    return this.#refOf(keyOfSession(session));
  }

  /**
   * Keeps the history. A job that another session has stays that session's.
   *
   * @param ousted sessions whose jobs become this one's
   * @param isEstablished whether jobs came that the archive had of the session before, without a doubt
   * @returns whether all of it is kept
   */
  add(history: HistoryFacts, ousted: readonly SessionRef[] = [], isEstablished = false): boolean {
    const { user, session } = history;
    if (this.isFull) return false;
    const number = this.#sessions.push({ user, session }) - 1;
    const out = new Set(ousted.map((other) => other.session));
    let isKept = this.#table.set(keyOfSession(session), number);
    if (isEstablished) isKept &&= this.#table.set(keyOfEstablished(session), number);
    for (const key of keysOf(history)) {
      const other = this.#refOf(key);
      if (other && other.session !== session && !out.has(other.session)) continue;
      isKept &&= this.#table.set(key, number);
    }
    return isKept;
  }

  #refOf(key: string): SessionRef | undefined {
    const number = this.#table.get(key);
    return number === undefined ? undefined : this.#sessions[number];
  }
}

/** As it is archived. */
export function historyOf(user: string, session: string, { jobs }: SessionState): HistoryFacts {
  const whole = new Map([...jobs].map(([job, { hash }]) => [job as string, hash]));
  return { user, session, ids: [...whole.keys()], whole };
}

/** An empty history shows neither that it is the session's own, nor that another one is not. */
export function hasJobs({ ids }: HistoryFacts): boolean {
  return [...ids].length > 0;
}

/** Whether two histories may not both be right. */
export function haveSharedJobs(a: HistoryFacts, b: HistoryFacts): boolean {
  const keys = new Set(keysOf(a));
  for (const key of keysOf(b)) if (keys.has(key)) return true;
  return false;
}

function keyOfSession(session: string): string {
  return `session ${session}`;
}

function keyOfEstablished(session: string): string {
  return `established ${session}`;
}

function keyOfJob(id: string): string {
  return `job ${id}`;
}

function* keysOf({ ids, whole }: HistoryFacts): Generator<string> {
  for (const id of ids) if (isUniqueId(id)) yield keyOfJob(id);
  if (whole && whole.size >= 2) {
    const jobs = [...whole].sort(([a], [b]) => (a < b ? -1 : 1));
    yield `history ${JSON.stringify(jobs)}`;
  }
}

/** Finds sessions that two users list. Session ids are unique in a project, so it is one session. */

export interface SharedSessions {
  /** As they were asked for; sorted. */
  readonly users: readonly [string, string];
  /** How many sessions both list. */
  readonly sessions: number;
  /** Whether the two are spellings of one user: equal after NFC, trimming and case folding. */
  readonly spellings: boolean;
}

/** A session that is to be compared, for at least one of two users who list it. */
export interface ListedTwice {
  readonly session: string;
  readonly users: readonly [string, string];
}

/** Of those that are kept to be compared. */
const MOST_COMPARED = 100_000;

/** Bounded in memory: 150 MB for 6 million sessions. Those that come after them are compared only with these. */
export class SessionOwners {
  readonly #table = new KeyTable();
  /** A user may occur more than once. */
  readonly #users: string[] = [];
  /** By the first and then the second user. */
  readonly #pairs = new Map<string, Map<string, number>>();
  readonly #twice: ListedTwice[] = [];
  #dropped = 0;
  #hasToCompare = false;

  /**
   * Called once for each user.
   *
   * @param isToCompare whether a session of this user is to be compared with that of another one; default: none is
   */
  add(
    user: string,
    sessions: Iterable<string>,
    isToCompare: (session: string) => boolean = () => false,
  ): void {
    const number = this.#users.push(user) - 1;
    for (const session of sessions) {
      const first = this.#users[this.#table.get(session) ?? -1];
      if (first === user) continue;
      const key = keyOfCompared(session);
      let isCompared = this.#table.get(key) !== undefined;
      if (!isCompared && isToCompare(session)) {
        isCompared = this.#hasToCompare = true;
        this.#table.set(key, number);
      }
      if (first === undefined) {
        this.#table.set(session, number);
      } else {
        this.#count(first, user);
        if (isCompared) this.#compare({ session, users: [first, user] });
      }
    }
  }

  /** Whether any session is to be compared with that of another user. */
  get hasToCompare(): boolean {
    return this.#hasToCompare;
  }

  /** Compares a session that another run has archived with one that was added to be compared. Takes no room. */
  compareWith({ user, session }: SessionRef): void {
    const first = this.#users[this.#table.get(keyOfCompared(session)) ?? -1];
    if (first !== undefined && first !== user) this.#compare({ session, users: [first, user] });
  }

  /** Sessions that two users list, those compared with other runs' included: each shows what the other's history should be. */
  get twice(): readonly ListedTwice[] {
    return this.#twice;
  }

  /** How many more of these there were than are kept. */
  get dropped(): number {
    return this.#dropped;
  }

  shared(): SharedSessions[] {
    const pairs = [...this.#pairs].flatMap(([first, others]) =>
      [...others].map(([second, sessions]) => ({ users: [first, second] as const, sessions })),
    );
    return pairs
      .sort((a, b) => (a.users.join('\n') < b.users.join('\n') ? -1 : 1))
      .map((pair) => ({ ...pair, spellings: isSameUser(...pair.users) }));
  }

  #compare(listed: ListedTwice): void {
    if (this.#twice.length < MOST_COMPARED) this.#twice.push(listed);
    else this.#dropped++;
  }

  #count(one: string, other: string): void {
    const [first, second] = one < other ? [one, other] : [other, one];
    const others = this.#pairs.get(first) ?? new Map<string, number>();
    this.#pairs.set(first, others.set(second, (others.get(second) ?? 0) + 1));
  }
}

function keyOfCompared(session: string): string {
  return `compared ${session}`;
}

/** A set of keys, each with a number: 12 bytes a slot, in three arrays, and never more slots than allowed. */

/** Slots of the largest table: 100 MB, and half as much again while it grows to that. */
const MOST_SLOTS = 2 ** 23;
const FIRST_SLOTS = 2 ** 10;
/** Of its slots, as a table with open addressing needs some that are free. */
const FILLED = 0.75;

export class KeyTable {
  #high: Uint32Array;
  #low: Uint32Array;
  /** 0: the slot is free. */
  #values: Uint32Array;
  #size = 0;

  /** @param mostSlots a power of two */
  constructor(readonly mostSlots: number = MOST_SLOTS) {
    const slots = Math.min(FIRST_SLOTS, mostSlots);
    this.#high = new Uint32Array(slots);
    this.#low = new Uint32Array(slots);
    this.#values = new Uint32Array(slots);
  }

  /** Whether no further key is taken in. */
  get isFull(): boolean {
    return this.#size >= this.mostSlots * FILLED;
  }

  /** The number of the key; undefined if it is not there. Keys are told apart by 64 bits of their SHA-256. */
  get(key: string): number | undefined {
    const value = this.#values[this.#slotOf(digestOf(key))] ?? 0;
    return value === 0 ? undefined : value - 1;
  }

  /** Sets the number of a key. False: the key is not there, and the table is full. */
  set(key: string, value: number): boolean {
    const digest = digestOf(key);
    let slot = this.#slotOf(digest);
    if (this.#values[slot] === 0) {
      if (this.isFull) return false;
      if (this.#size >= this.#values.length * FILLED) {
        this.#grow();
        slot = this.#slotOf(digest);
      }
      this.#size++;
    }
    this.#put(slot, digest, value + 1);
    return true;
  }

  #slotOf({ high, low }: Digest): number {
    const mask = this.#values.length - 1;
    let slot = (high ^ low) & mask;
    while (this.#values[slot] !== 0 && (this.#high[slot] !== high || this.#low[slot] !== low)) {
      slot = (slot + 1) & mask;
    }
    return slot;
  }

  #put(slot: number, { high, low }: Digest, value: number): void {
    this.#high[slot] = high;
    this.#low[slot] = low;
    this.#values[slot] = value;
  }

  #grow(): void {
    const [highs, lows, values] = [this.#high, this.#low, this.#values];
    const slots = values.length * 2;
    this.#high = new Uint32Array(slots);
    this.#low = new Uint32Array(slots);
    this.#values = new Uint32Array(slots);
    for (const [at, value] of values.entries()) {
      if (value === 0) continue;
      const digest = { high: highs[at] ?? 0, low: lows[at] ?? 0 };
      this.#put(this.#slotOf(digest), digest, value);
    }
  }
}

interface Digest {
  readonly high: number;
  readonly low: number;
}

function digestOf(key: string): Digest {
  const bytes = hash('sha256', key, 'buffer');
  return { high: bytes.readUInt32LE(0), low: bytes.readUInt32LE(4) };
}

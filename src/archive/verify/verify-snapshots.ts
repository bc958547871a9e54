/** Verifies the snapshots: one that the log names, and that is as it was written, must be what folding the log gives. */
import { createHash } from 'node:crypto';
import { sha256Hex } from '../../base/digest.js';
import { parseJson } from '../../base/text/parse-json.js';
import { canonicalJson, type Json } from '../../base/text/canonical-json.js';
import type { SessionId, UserId } from '../../model/ids.js';
import { type Storage, type StorageReading } from '../../storage/storage.js';
import { getIfThere } from '../../storage/small-objects.js';
import { IntegrityError } from '../archive-errors.js';
import type { CommitLog } from '../log/commit-log.js';
import type { SnapshotEntry } from '../log/commit.js';
import { commitPath } from '../paths.js';
import { PackedStates, type StatesPart, type StatesPlace } from '../snapshots/packed-states.js';
import {
  sessionsLine,
  type SnapshotSession,
  type UserPlaces,
} from '../snapshots/snapshot-users.js';
import { PackedSessions } from '../snapshots/packed-sessions.js';
import {
  afterSessions,
  firstLine,
  lastIn,
  lastLine,
  snapshotLines,
  userIn,
  userLine,
} from '../snapshots/snapshot.js';
import { sessionFacts, SessionMarks, userInLog, usersIn } from '../snapshots/snapshot-of-users.js';
import { storedSnapshots, storedStates } from '../snapshots/snapshot-reader.js';
import { StateStore } from '../state/state-store.js';
import { stateLine } from '../state/state-line.js';
import { emptyState, type UserState } from '../state/user-state.js';
import { MAY_BE_CUT, type Findings } from './findings.js';
import type { LogFindings } from './verify-log.js';
import type { LogView } from '../log/log-view.js';
import type { ListingsOfUser } from '../log/newest-listings.js';

export interface SnapshotsOptions extends StorageReading {
  readonly log: CommitLog;
  /** Which of them to verify. Default: all. */
  readonly isWanted?: ((path: string) => boolean) | undefined;
  /** Whether they are compared with the log, which reads all of its manifests. */
  readonly isCompared: boolean;
}

export interface SnapshotsFound {
  /** How many there are. */
  readonly count: number;
  /** How many of them the log names, and were not compared with it. */
  readonly uncompared: number;
}

const UNREADABLE = 'is a cache that cannot be read; a later export writes another one';
/** What is wrong with a snapshot that may name whom an erasure has erased. */
const OUTDATED = 'was made before an erasure, and nothing uses it; the next run removes it';
const DIFFERENT = 'differs from what the log gives';
/** In memory: users are gone through in the order of the log, which is that of the states, too. */
const KEPT_LENGTH = 4 * 1024 * 1024;

/** A snapshot that is missing or torn is no damage: readers pass it over. */
export async function verifySnapshots(
  options: SnapshotsOptions,
  found: LogFindings,
  findings: Findings,
): Promise<SnapshotsFound> {
  const { storage, isWanted = () => true, isCompared } = options;
  const stored = await storedSnapshots(storage);
  const named: NamedSnapshot[] = [];
  for (const { path, through } of stored) {
    if (!isWanted(path)) continue;
    if (through > found.newest) {
      // a run may have put the commit since the log was read
      if (await storage.stat(commitPath(through))) continue;
      const detail = `was made after commit ${through}, which is missing; ${MAY_BE_CUT}`;
      findings.add({ path, problem: 'chain', detail });
      continue;
    }
    const entry = found.snapshots.get(path);
    const folded = found.folded.get(through);
    if (through < found.index.lastErasure) findings.note(path, OUTDATED);
    else if (entry && folded) named.push(...(await readNamed(storage, entry, folded, findings)));
  }
  for (const { path, through } of await storedStates(storage)) {
    if (isWanted(path) && through < found.index.lastErasure) findings.note(path, OUTDATED);
  }
  const count = stored.length;
  if (!isCompared) return { count, uncompared: named.length };
  if (!found.isSound || named.length === 0) return { count, uncompared: 0 };
  try {
    const check = new SnapshotsCheck(options, found, findings);
    await check.run(named.toSorted((a, b) => a.entry.through - b.entry.through));
  } catch (error) {
    if (!(error instanceof IntegrityError)) throw error;
    findings.add(error);
  }
  return { count, uncompared: 0 };
}

interface NamedSnapshot {
  readonly entry: SnapshotEntry;
  /** The log as far as the snapshot takes it into account. */
  readonly folded: LogView;
  readonly lines: SnapshotLines;
  /** Its bytes with sessions. */
  readonly ofSessions: Uint8Array;
}

/** Its lines; nothing if it is missing or torn. */
async function readNamed(
  storage: Storage,
  entry: SnapshotEntry,
  folded: LogView,
  findings: Findings,
): Promise<NamedSnapshot[]> {
  const { path, bytes: length, sha256 } = entry;
  const bytes = await getIfThere(storage, path);
  if (!bytes) return []; // a run has removed it since
  if (bytes.byteLength !== length || sha256Hex(bytes) !== sha256) {
    findings.note(path, UNREADABLE);
    return [];
  }
  try {
    const lines = await SnapshotLines.of(afterSessions(bytes, entry));
    return [{ entry, folded, lines, ofSessions: bytes.subarray(0, entry.sessions_bytes) }];
  } catch {
    findings.add({ path, problem: 'state', detail: DIFFERENT });
    return [];
  }
}

const DIGEST_BYTES = 32;
/** The numbers of two places. */
const PLACE_NUMBERS = 4;

/**
 * What is kept of a snapshot's lines: the first and the last, and of those of users a digest and the places of a user.
 * Their texts and what they say took 300 MB of 100,000 users.
 */
class SnapshotLines {
  first = '';
  last = '';
  count = 0;
  /** Whether a line of a user is none. */
  isOdd = false;
  readonly #bytes: Uint8Array;
  #digests = Buffer.alloc(DIGEST_BYTES * 1024);
  /** Part and line of each user's state and sessions, one after the other; -1 where there are none. */
  readonly #places: number[] = [];
  /** Only once a line differs from what is expected. */
  #texts: readonly string[] | undefined;

  private constructor(bytes: Uint8Array) {
    this.#bytes = bytes;
  }

  /** @throws the bytes have no lines */
  static async of(bytes: Uint8Array): Promise<SnapshotLines> {
    const lines = new SnapshotLines(bytes);
    for await (const some of snapshotLines(bytes)) for (const line of some) lines.#add(line);
    return lines;
  }

  /** Where state and sessions of a user are. @param at of the line, from 1 */
  placesOf(at: number): UserPlaces {
    const from = (at - 1) * PLACE_NUMBERS;
    const placeAt = (number: number): StatesPlace | undefined => {
      const [part = -1, line = -1] = this.#places.slice(from + number, from + number + 2);
      return part < 0 ? undefined : [part, line];
    };
    return { state: placeAt(0), sessions: placeAt(2) };
  }

  /** Whether a line says what is expected. @param at from 1 */
  async isSame(at: number, expected: string): Promise<boolean> {
    const from = (at - 1) * DIGEST_BYTES;
    const digest = this.#digests.subarray(from, from + DIGEST_BYTES);
    if (digestOf(expected).equals(digest)) return true;
    this.#texts ??= await textsOf(this.#bytes);
    return isSame(this.#texts[at] ?? '', expected);
  }

  #add(line: string): void {
    // what has come last is of a user once another line follows
    if (this.count === 0) this.first = line;
    else if (this.count > 1) this.#addUser(this.last);
    this.last = line;
    this.count++;
  }

  #addUser(line: string): void {
    const from = (this.#places.length / PLACE_NUMBERS) * DIGEST_BYTES;
    if (from === this.#digests.length) {
      this.#digests = Buffer.concat([this.#digests, Buffer.alloc(from)]);
    }
    digestOf(line).copy(this.#digests, from);
    try {
      const { state = NOWHERE, sessions = NOWHERE } = userIn(line).places;
      this.#places.push(...state, ...sessions);
    } catch {
      this.isOdd = true;
    }
  }
}

const NOWHERE = [-1, -1] as const;

function digestOf(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}

async function textsOf(bytes: Uint8Array): Promise<string[]> {
  const texts: string[] = [];
  for await (const some of snapshotLines(bytes)) texts.push(...some);
  return texts;
}

interface ReadSnapshot extends NamedSnapshot {
  readonly states: readonly StatesPart[];
  readonly sessions: PackedSessions;
  /** The place of each among the lines of users, in this order. */
  readonly users: ReadonlyMap<UserId, number>;
  readonly listings: ReadonlyMap<UserId, ListingsOfUser>;
}

/** Compares snapshots with the log. Each user's commits are replayed once, whichever snapshots have the user. */
class SnapshotsCheck {
  readonly #options: SnapshotsOptions;
  readonly #findings: Findings;
  readonly #states: StateStore;
  readonly #packed: PackedStates;
  /** Paths of those of which something was found. */
  readonly #reported = new Set<string>();

  constructor(options: SnapshotsOptions, found: LogFindings, findings: Findings) {
    this.#options = options;
    this.#findings = findings;
    this.#states = new StateStore(options.storage, options.log, found.index);
    this.#packed = new PackedStates(options.storage, KEPT_LENGTH);
  }

  /** @param named the oldest first @throws {IntegrityError} the log is damaged */
  async run(named: readonly NamedSnapshot[]): Promise<void> {
    const read: ReadSnapshot[] = [];
    for (const namedSnapshot of named) {
      const as = await this.#read(namedSnapshot);
      if (as) read.push(as);
      else this.#tell(namedSnapshot.entry.path);
    }
    // the older one of two has no user whom the newer one lacks
    for (const user of read.at(-1)?.users.keys() ?? []) {
      this.#options.signal?.throwIfAborted();
      await this.#compare(user, read);
    }
  }

  /** Undefined if it is not as the log gives it, its users aside. */
  async #read(named: NamedSnapshot): Promise<ReadSnapshot | undefined> {
    const { lines, folded } = named;
    const { storage, log } = this.#options;
    try {
      const { first, last } = lines;
      const { salt } = parseJson(first) as { readonly salt?: unknown };
      if (typeof salt !== 'string' || !isSame(first, firstLine(folded, salt))) return undefined;
      if (lines.isOdd) return undefined;
      const { states, sessions: parts } = lastIn(last);
      const sessions = new PackedSessions(named.entry.path, named.ofSessions, parts);
      const listings = await folded.listings.read({ storage, log });
      const users = usersIn(folded, listings);
      const hasAll = lines.count === users.size + 2;
      if (!hasAll || !isSame(last, lastLine({ states, sessions: parts }))) return undefined;
      const placed = new Map<UserId, number>();
      for (const user of users) placed.set(user, placed.size + 1);
      return { ...named, states, sessions, users: placed, listings };
    } catch (error) {
      if (error instanceof SyntaxError || error instanceof TypeError) return undefined;
      throw error;
    }
  }

  async #compare(user: UserId, read: readonly ReadSnapshot[]): Promise<void> {
    let state: UserState = emptyState(user);
    let facts: ReadonlyMap<SessionId, SnapshotSession> = new Map();
    const marks = new SessionMarks();
    /** Where it was found to be right. */
    let right = '';
    for (const { entry, folded, lines, states, sessions, users, listings } of read) {
      const at = users.get(user);
      if (at === undefined) continue;
      const before = state.sessions;
      const { through } = entry;
      for await (const changes of this.#states.changes(state, through)) marks.add(changes);
      state = await this.#states.replay(state, through);
      const hasChanged = state.sessions !== before;
      if (hasChanged) facts = sessionFacts(state, marks);
      const places = lines.placesOf(at);
      const { state: known } = places;
      const isThere = (known !== undefined) === state.sessions.size > 0;
      // where states and sessions are, the log does not have
      const expected = userLine(userInLog(user, folded, listings), places);
      const isUser = isThere && (await lines.isSame(at, expected));
      if (!isUser || !isSameSessions(places, sessions, facts)) {
        this.#tell(entry.path);
        continue;
      }
      if (!known) continue;
      const [part, line] = known;
      const inPart = states[part];
      if (inPart === undefined || line >= inPart.lines) {
        this.#tell(entry.path);
        continue;
      }
      const place = `${inPart.path} ${line}`;
      if (hasChanged || right !== place) await this.#compareState(state, inPart, line);
      right = place;
    }
  }

  async #compareState(state: UserState, part: StatesPart, line: number): Promise<void> {
    if (this.#reported.has(part.path)) return;
    const text = await this.#packed.lineOf(part, line);
    if (text === stateLine(state)) return;
    if (await this.#packed.isWhole(part)) this.#tell(part.path);
    else {
      this.#reported.add(part.path);
      this.#findings.note(part.path, UNREADABLE);
    }
  }

  #tell(path: string): void {
    this.#reported.add(path);
    this.#findings.add({ path, problem: 'state', detail: DIFFERENT });
  }
}

function isSameSessions(
  { sessions: place }: UserPlaces,
  sessions: PackedSessions,
  facts: ReadonlyMap<SessionId, SnapshotSession>,
): boolean {
  if (place === undefined || !sessions.has(place)) return place === undefined && facts.size === 0;
  try {
    return isSame(sessions.lineOf(place), sessionsLine(facts));
  } catch (error) {
    // its gzip, or its JSON
    if (error instanceof IntegrityError || error instanceof SyntaxError) return false;
    throw error;
  }
}

function isSame(a: string, b: string): boolean {
  const canonical = (text: string): string => canonicalJson(parseJson(text) as Json);
  return a === b || canonical(a) === canonical(b);
}

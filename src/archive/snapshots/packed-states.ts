/**
 * The states of users beside a snapshot: many in one object, each a line of gzipped JSON. A snapshot names the objects
 * with their SHA-256, and says for each user which line is the state. Of users who have not changed, the next snapshot
 * names the same lines again.
 */
import { promisify } from 'node:util';
import { gunzip, gzip } from 'node:zlib';
import { sha256Hex } from '../../base/digest.js';
import { deleteObjects, getIfThere, type Storage } from '../../storage/storage.js';
import { statesPath } from '../paths.js';
import { parseJson } from '../../base/text/parse-json.js';
import type { SessionId, UserId } from '../../model/ids.js';
import type { GapEntry } from '../log/commit.js';
import type { UserInLog } from '../log/log-view.js';
import type { SessionSummary } from '../state/session-summary.js';

const gzipBytes = promisify(gzip);
const gunzipBytes = promisify(gunzip);

/** An object with states. */
export interface StatesPart {
  readonly path: string;
  /** Of the gzipped object. */
  readonly bytes: number;
  readonly sha256: string;
  /** How many states it has, of which later snapshots may not need all. */
  readonly lines: number;
  /** Of its text, in UTF-16 code units. */
  readonly length: number;
}

/** Where a user's state is: a part by its place in the snapshot's list, and a line of it; both from 0. */
export type StatesPlace = readonly [part: number, line: number];

/** Of its text: a part is read whole, and some are kept in memory. */
const PART_LENGTH = 512 * 1024;
/** Texts kept in memory: users who are loaded one after the other are mostly in the same parts. */
const KEPT_LENGTH = 32 * 1024 * 1024;

export class PackedStates {
  /** By path; the least recently used comes first. */
  readonly #kept = new Map<string, { readonly length: number; readonly lines: PartLines }>();
  readonly #storage: Pick<Storage, 'get'>;
  readonly #keptLength: number;

  /** @param keptLength of the texts that are kept in memory */
  constructor(storage: Pick<Storage, 'get'>, keptLength = KEPT_LENGTH) {
    this.#storage = storage;
    this.#keptLength = keptLength;
  }

  /** The line of a state; undefined if its part is missing, or is not as it was written: that costs time, never data. */
  async lineOf(part: StatesPart, line: number): Promise<string | undefined> {
    return (await this.#linesOf(part))?.[line];
  }

  /** Whether the part is there, and is as it was written. */
  async isWhole(part: StatesPart): Promise<boolean> {
    return (await this.#linesOf(part)) !== undefined;
  }

  #linesOf(part: StatesPart): PartLines {
    const { path, length } = part;
    const lines = this.#kept.get(path)?.lines ?? this.#read(part);
    this.#kept.delete(path);
    this.#kept.set(path, { length, lines });
    lines.catch(() => this.#kept.delete(path));
    let sum = 0;
    for (const kept of this.#kept.values()) sum += kept.length;
    for (const [oldest, kept] of this.#kept) {
      if (sum <= this.#keptLength || this.#kept.size === 1) break;
      this.#kept.delete(oldest);
      sum -= kept.length;
    }
    return lines;
  }

  async #read({ path, bytes: length, sha256, lines: count }: StatesPart): PartLines {
    const bytes = await getIfThere(this.#storage, path);
    if (bytes?.byteLength !== length || sha256Hex(bytes) !== sha256) return undefined;
    try {
      const lines = (await gunzipBytes(bytes)).toString().split('\n');
      return lines.pop() === '' && lines.length === count ? lines : undefined;
    } catch {
      return undefined;
    }
  }
}

type PartLines = Promise<readonly string[] | undefined>;

/** Whether so much of the part is still needed that it need not be written again. */
export function isWorthKeeping({ lines, length }: StatesPart, needed: number): boolean {
  return (length * needed) / lines >= PART_LENGTH / 2;
}

/** Writes parts as lines come. */
export class StatesWriter {
  /** Those that are written. */
  readonly parts: StatesPart[] = [];
  readonly #storage: Pick<Storage, 'put' | 'delete' | 'deleteAll'>;
  readonly #snapshot: { readonly through: number; readonly id: string };
  #lines: string[] = [];
  #length = 0;

  /** @param snapshot for which they are written */
  constructor(
    storage: Pick<Storage, 'put' | 'delete' | 'deleteAll'>,
    snapshot: { readonly through: number; readonly id: string },
  ) {
    this.#storage = storage;
    this.#snapshot = snapshot;
  }

  /** @returns its place among the parts of this writer */
  async add(line: string): Promise<StatesPlace> {
    const place: StatesPlace = [this.parts.length, this.#lines.length];
    this.#lines.push(line);
    this.#length += line.length + 1;
    if (this.#length >= PART_LENGTH) await this.#write();
    return place;
  }

  /** Call it after the last line. */
  async end(): Promise<void> {
    if (this.#lines.length > 0) await this.#write();
  }

  /** Deletes the parts: no snapshot names them. */
  async withdraw(): Promise<void> {
    const paths = this.parts.map(({ path }) => path);
    await deleteObjects(this.#storage, paths);
  }

  async #write(): Promise<void> {
    const { through, id } = this.#snapshot;
    const [lines, length] = [this.#lines, this.#length];
    [this.#lines, this.#length] = [[], 0];
    const path = statesPath(through, id, this.parts.length + 1);
    const bytes = await gzipBytes(`${lines.join('\n')}\n`);
    await this.#storage.put(path, bytes);
    const digest = { bytes: bytes.byteLength, sha256: sha256Hex(bytes) };
    this.parts.push({ path, ...digest, lines: lines.length, length });
  }
}

/**
 * The users of a snapshot. Each is a text until somebody asks for it: 100,000 with one session each take 20 MB, as objects
 * ten times as much.
 */

/** A session as of the snapshot. */
export interface SnapshotSession {
  readonly summary: SessionSummary;
  /** Numbers of the commits that change it, in order. */
  readonly commits: readonly number[];
  /** When its deletion was recorded, unless it was read again since; ISO 8601. */
  readonly deletedAt: string | null;
}

/** A user as of the snapshot. */
export interface SnapshotUser extends UserInLog {
  readonly sessions: ReadonlyMap<SessionId, SnapshotSession>;
  /** Undefined of a user without sessions. */
  readonly state: StatesPlace | undefined;
}

/** Without listings, which the log's view has. */
export type KnownUser = Omit<SnapshotUser, 'listings'>;

export class SnapshotUsers {
  readonly #texts = new Map<UserId, string>();
  /** The user that was asked for last: who asks does so more than once. */
  #last: KnownUser | undefined;

  get size(): number {
    return this.#texts.size;
  }

  set({ user, commits, sessions, state }: KnownUser): void {
    const packed: PackedUser = [commits, state ?? null, Array.from(sessions, packedSession)];
    this.#texts.set(user, JSON.stringify(packed));
  }

  get(user: UserId): KnownUser | undefined {
    if (this.#last?.user === user) return this.#last;
    const text = this.#texts.get(user);
    if (text === undefined) return undefined;
    this.#last = unpacked(user, text);
    return this.#last;
  }

  /** In the order of the snapshot. */
  *values(): Generator<KnownUser> {
    for (const [user, text] of this.#texts) yield unpacked(user, text);
  }
}

type PackedUser = readonly [
  commits: readonly number[],
  state: StatesPlace | null,
  sessions: readonly PackedSession[],
];

type PackedSession = readonly [
  session: SessionId,
  commits: readonly number[],
  deletedAt: string | null,
  version: number,
  total: number | null,
  complete: boolean,
  goneAt: string | null,
  deleted: boolean,
  gaps: readonly GapEntry[],
  jobs: number,
  settled: number,
  unsettledSeenAt: string | null,
  suspicious: number,
  newestAfter: string | null,
  newestBefore: string | null,
];

function packedSession([session, of]: readonly [SessionId, SnapshotSession]): PackedSession {
  const { summary, commits, deletedAt } = of;
  const { version, total, complete, goneAt, deleted, gaps, jobs } = summary;
  const { settled, unsettledSeenAt, suspicious, newest } = jobs;
  const packed = [session, commits, deletedAt, version, total, complete, goneAt, deleted] as const;
  const ofJobs = [jobs.total, settled, unsettledSeenAt, suspicious] as const;
  return [...packed, gaps, ...ofJobs, microsText(newest.after), microsText(newest.before)];
}

function unpacked(user: UserId, text: string): KnownUser {
  const [commits, state, sessions] = parseJson(text) as PackedUser;
  return {
    user,
    commits,
    state: state ?? undefined,
    sessions: new Map(sessions.map(unpackedSession)),
  };
}

function unpackedSession(packed: PackedSession): [SessionId, SnapshotSession] {
  const [session, commits, deletedAt, version, total, complete, goneAt, deleted, ...more] = packed;
  const [gaps, jobs, settled, unsettledSeenAt, suspicious, after, before] = more;
  const newest = { after: microsIn(after), before: microsIn(before) };
  const ofJobs = { total: jobs, settled, unsettledSeenAt, suspicious, newest };
  const summary = { version, total, complete, goneAt, gaps, deleted, jobs: ofJobs };
  return [session, { summary, commits, deletedAt }];
}

/** JSON has no such numbers. */
export function microsText(micros: bigint | null): string | null {
  return micros === null ? null : String(micros);
}

export function microsIn(text: string | null): bigint | null {
  return text === null ? null : BigInt(text);
}

/**
 * The times of checks of all users: objects with a line for each of many users, written once and never changed. A run
 * writes what it has checked, and merges small and outdated objects when it ends; the latest line of a user counts.
 */
import { promisify } from 'node:util';
import { gunzip, gzip } from 'node:zlib';
import { z } from 'zod';
import { concurrently } from '../../base/concurrently.js';
import { parseJson } from '../../base/text/parse-json.js';
import type { UserId } from '../../model/ids.js';
import { getIfThere, type ObjectInfo, type Storage } from '../../storage/storage.js';
import { IntegrityError } from '../archive-errors.js';
import { CHECKS_PREFIX, checksPath, commitPath, numberOfChecks } from '../paths.js';
import { MAY_BE_CUT } from '../verify/findings.js';
import { checksIn, checksLineIn, type ChecksLine, type UserChecks } from './user-checks.js';

const gzipBytes = promisify(gzip);
const gunzipBytes = promisify(gunzip);

/** The newest commit that a run knew: a log without it was cut, one with another digest rewritten. */
export interface KnownHead {
  readonly number: number;
  /** Null before the first commit. */
  readonly digest: string | null;
}

/** What the index of the log says of commits and of erasures. */
export interface KnownLog {
  readonly through: number;
  readonly lastErasure: number;
  readonly openErasures: ReadonlyMap<string, unknown>;
  digestOf(number: number): string | null;
  refresh(): Promise<void>;
}

interface ChecksObject {
  readonly head: KnownHead;
  readonly lines: readonly ChecksLine[];
}

export interface StoredChecks extends ObjectInfo {
  /** All in it was learnt when a run knew at least this commit. */
  readonly number: number;
}

/** Objects read at a time. */
const CONCURRENCY = 8;
/** How often the objects are listed again because one was merged meanwhile. */
const MOST_LISTINGS = 5;
/** Of text: so much of it is written at a time. */
const OBJECT_LENGTH = 512 * 1024;
/** More objects are merged, the smallest first. */
const MOST_OBJECTS = 32;
const MERGED_AT_A_TIME = 24;
/** In bytes: with less beside the largest one, nothing is merged to save space. */
const WORTH_MERGING = 256 * 1024;
/** Of the largest one, which was merged last: as much beside it has come since, and outdates it. */
const OUTDATED_SHARE = 3 / 4;

const headSchema = z.strictObject({
  format: z.literal(1),
  head: z.tuple([z.int().nonnegative(), z.string().nullable()]),
});

export async function storedChecks(storage: Pick<Storage, 'list'>): Promise<StoredChecks[]> {
  const stored: StoredChecks[] = [];
  for await (const info of storage.list(CHECKS_PREFIX)) {
    const number = numberOfChecks(info.path);
    if (number !== undefined) stored.push({ ...info, number });
  }
  return stored;
}

/** Clocks of machines that work on one archive differ. */
const TOLERATED_MS = 5 * 60_000;

/** Says what time it is, in milliseconds since 1970 UTC. */
export type WallTime = () => number;

interface SavedChecksOptions {
  /** Whether the log must have the commits that were known when the times were saved. */
  readonly assertsHeads: boolean;
  /** Times that were saved later than now count for nothing: some clock was ahead. Default: all count. */
  readonly now?: WallTime;
}

/** What was saved of all users, in memory. */
export class SavedChecks {
  readonly #storage: Storage;
  readonly #log: KnownLog;
  readonly #assertsHeads: boolean;
  readonly #now: WallTime;
  readonly #lines = new Map<UserId, ChecksLine>();
  readonly #read = new Set<string>();
  #erasure = 0;

  constructor(
    storage: Storage,
    log: KnownLog,
    { assertsHeads, now = () => Infinity }: SavedChecksOptions,
  ) {
    this.#storage = storage;
    this.#log = log;
    this.#assertsHeads = assertsHeads;
    this.#now = now;
  }

  /** Without what an erasure has outdated. */
  get lines(): Iterable<ChecksLine> {
    return this.#lines.values();
  }

  /** Undefined if nothing was saved of the user, or what was saved is damaged: then every session is checked soon. */
  get(user: UserId): UserChecks | undefined {
    const line = this.#lines.get(user);
    return line && checksIn(line);
  }

  /** Takes what is about to be saved. */
  learn(line: ChecksLine): void {
    keepLatest(this.#lines, line);
  }

  /**
   * Reads what was saved since the last call.
   *
   * @throws {IntegrityError} the log lacks a commit that a run has known: nothing may rest on it
   */
  async refresh(): Promise<void> {
    for (let listings = 0; listings < MOST_LISTINGS; listings++) {
      if (await this.#readStored()) return;
    }
  }

  /** False if an object that was listed has been merged into another one meanwhile. */
  async #readStored(): Promise<boolean> {
    const { lastErasure } = this.#log;
    if (lastErasure !== this.#erasure) {
      this.#lines.clear(); // they may be of the erased
      this.#read.clear();
      this.#erasure = lastErasure;
    }
    const stored = await storedChecks(this.#storage);
    const unread = stored.filter(({ path, number }) => {
      return number >= lastErasure && !this.#read.has(path);
    });
    let isWhole = true;
    await concurrently(unread, CONCURRENCY, async ({ path }) => {
      const bytes = await getIfThere(this.#storage, path);
      if (!bytes) {
        isWhole = false;
        return;
      }
      const object = await objectIn(bytes);
      this.#read.add(path);
      if (!object) return;
      if (this.#assertsHeads) await assertKnown(this.#log, path, object.head);
      for (const line of object.lines) {
        if (!isAhead(line, this.#now())) keepLatest(this.#lines, line);
      }
    });
    return isWhole;
  }
}

/** Collects times of checks, and saves those of many users at a time; without them, runs need more requests. */
export class ChecksWriter {
  readonly #storage: Storage;
  readonly #log: KnownLog;
  readonly #newId: () => string;
  #lines: { readonly line: ChecksLine; readonly through: number }[] = [];
  #length = 0;
  #hasSaved = false;

  /** @param newId makes a ULID */
  constructor(storage: Storage, log: KnownLog, newId: () => string) {
    this.#storage = storage;
    this.#log = log;
    this.#newId = newId;
  }

  get hasSaved(): boolean {
    return this.#hasSaved;
  }

  /** Whether so much waits that it should be saved. */
  get isFull(): boolean {
    return this.#length >= OBJECT_LENGTH;
  }

  /** @param through the newest commit that was known when the user's old times were read */
  add(line: ChecksLine, through: number): void {
    this.#lines.push({ line, through });
    this.#length += line.text.length;
  }

  /** Saves what waits, without times from before an erasure: they may be about what was erased. */
  async save(): Promise<void> {
    const waiting = this.#lines;
    if (waiting.length === 0) return;
    [this.#lines, this.#length] = [[], 0];
    const log = this.#log;
    await log.refresh();
    const known = waiting.filter(({ through }) => through >= log.lastErasure);
    if (known.length === 0 || log.openErasures.size > 0) return;
    const number = known.reduce((least, { through }) => Math.min(least, through), Infinity);
    const head = { number: log.through, digest: log.digestOf(log.through) };
    const lines = known.map(({ line }) => line);
    this.#hasSaved = true;
    await putChecks(this.#storage, log, { number, id: this.#newId(), head, lines });
  }
}

/**
 * Writes an object, and deletes it again if an erasure has come meanwhile, which may have looked for it already.
 *
 * @param of.number all of it was learnt when a run knew at least this commit
 * @returns whether it stays
 */
export async function putChecks(
  storage: Storage,
  log: KnownLog,
  of: ChecksObject & { readonly number: number; readonly id: string },
): Promise<boolean> {
  const { number, id, head, lines } = of;
  const path = checksPath(number, id);
  await storage.put(path, await encodeChecks(head, lines));
  await log.refresh();
  if (number >= log.lastErasure && log.openErasures.size === 0) return true;
  await storage.delete(path);
  return false;
}

/**
 * Merges objects of which there are many, or which together are about as large as the largest one: then most of its lines are
 * outdated. Of two runs that do it at once, both leave what is needed.
 *
 * @param now see `SavedChecksOptions`
 */
export async function mergeChecks(
  storage: Storage,
  log: KnownLog,
  newId: () => string,
  now: WallTime = () => Infinity,
): Promise<void> {
  await log.refresh();
  if (log.openErasures.size > 0) return;
  const stored = await storedChecks(storage);
  const merged = toMerge(stored.filter(({ number }) => number >= log.lastErasure));
  if (merged.length === 0) return;
  const latest = new Map<UserId, ChecksLine>();
  let head: KnownHead | undefined;
  for (const { path } of merged) {
    const bytes = await getIfThere(storage, path);
    if (!bytes) return; // another run has merged it
    const object = await objectIn(bytes);
    for (const line of object?.lines ?? []) {
      if (!isAhead(line, now())) keepLatest(latest, line);
    }
    if (object && object.head.number >= (head?.number ?? 0)) head = object.head;
  }
  if (head) {
    const number = merged.reduce((least, of) => Math.min(least, of.number), Infinity);
    const of = { number, id: newId(), head, lines: [...latest.values()] };
    if (!(await putChecks(storage, log, of))) return;
  }
  for (const { path } of merged) await storage.delete(path);
}

function toMerge(stored: readonly StoredChecks[]): readonly StoredChecks[] {
  const [largest, ...others] = stored.toSorted((a, b) => b.bytes - a.bytes);
  const beside = others.reduce((sum, { bytes }) => sum + bytes, 0);
  if (beside >= Math.max(WORTH_MERGING, OUTDATED_SHARE * (largest?.bytes ?? 0))) return stored;
  return stored.length > MOST_OBJECTS ? others.slice(-MERGED_AT_A_TIME) : [];
}

export async function encodeChecks(
  { number, digest }: KnownHead,
  lines: Iterable<ChecksLine>,
): Promise<Uint8Array> {
  const first = JSON.stringify({ format: 1, head: [number, digest] });
  const texts = [first, ...[...lines].map(({ text }) => text), ''];
  return gzipBytes(texts.join('\n'));
}

/** Undefined if it is unreadable. */
export async function objectIn(bytes: Uint8Array): Promise<ChecksObject | undefined> {
  try {
    const [first = '', ...texts] = (await gunzipBytes(bytes)).toString().split('\n');
    if (texts.pop() !== '') return undefined;
    const [number, digest] = headSchema.parse(parseJson(first)).head;
    return { head: { number, digest }, lines: texts.map(checksLineIn) };
  } catch {
    return undefined;
  }
}

/** A clock that was ahead: what it saved would count until then, and hide all that is saved meanwhile. */
function isAhead({ savedMs }: ChecksLine, nowMs: number): boolean {
  return savedMs > nowMs + TOLERATED_MS;
}

function keepLatest(latest: Map<UserId, ChecksLine>, line: ChecksLine): void {
  const known = latest.get(line.user);
  if (!known || known.savedMs <= line.savedMs) latest.set(line.user, line);
}

/** @throws {IntegrityError} the log has lost the commit, or has another in its place */
export async function assertKnown(log: KnownLog, path: string, head: KnownHead): Promise<void> {
  // another run may have appended since the log was read
  if (head.number > log.through) await log.refresh();
  if (head.number > log.through) throw cutBefore(path, head.number);
  if (isAnother(log, head)) throw new IntegrityError(path, 'chain', anotherCommit(head));
}

/** Whether the log has another commit of this number. Those before an erasure may be redacted since. */
export function isAnother(
  log: Pick<KnownLog, 'digestOf' | 'lastErasure'>,
  { number, digest }: KnownHead,
): boolean {
  const found = log.digestOf(number);
  return found !== null && number >= log.lastErasure && found !== digest;
}

export function anotherCommit({ number }: KnownHead): string {
  return `was made from another commit ${number} than the one in the log; ${MAY_BE_CUT}`;
}

export function cutBefore(path: string, number: number): IntegrityError {
  const detail = `is missing from the log: ${path} was made after it; ${MAY_BE_CUT}`;
  return new IntegrityError(commitPath(number), 'missing', detail);
}

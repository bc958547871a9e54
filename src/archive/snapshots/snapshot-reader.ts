/**
 * Finds the newest snapshot that counts: a commit of the log names it with its SHA-256, it is as it was written, and
 * nothing was erased since. Anything else is passed over: it costs time, never data.
 */
import { sha256Hex } from '../../base/digest.js';
import { type Storage } from '../../storage/storage.js';
import { getIfThere } from '../../storage/small-objects.js';
import type { CommitLog } from '../log/commit-log.js';
import type { SnapshotEntry } from '../log/commit.js';
import { commitPath, SNAPSHOTS_PREFIX, throughOfSnapshot, throughOfStates } from '../paths.js';
import { MAY_BE_CUT } from '../verify/findings.js';
import { IntegrityError } from '../archive-errors.js';
import type { StatesPart } from './packed-states.js';
import {
  afterSessions,
  decodeSnapshot,
  lastIn,
  snapshotLines,
  type LogSnapshot,
} from './snapshot.js';

/** How many are tried: so many stay, of which no commit may name the newest two. */
const MOST_TRIED = 4;
/** Commits after a snapshot in which its name is looked for: other runs may have come between the two. */
const MOST_BETWEEN = 100;

export interface StoredSnapshot {
  readonly path: string;
  readonly through: number;
}

/** The newest first. Whether any of them counts, its name does not tell. */
export async function storedSnapshots(storage: Storage): Promise<StoredSnapshot[]> {
  const stored: StoredSnapshot[] = [];
  for await (const { path } of storage.list(SNAPSHOTS_PREFIX)) {
    const through = throughOfSnapshot(path);
    if (through !== undefined) stored.push({ path, through });
  }
  return stored.sort((a, b) => b.through - a.through || (a.path < b.path ? 1 : -1));
}

/** Objects with states beside snapshots: those that a snapshot names, and those that none names. */
export async function storedStates(
  storage: Storage,
): Promise<(StoredSnapshot & { readonly bytes: number })[]> {
  const stored: (StoredSnapshot & { readonly bytes: number })[] = [];
  for await (const { path, bytes } of storage.list(SNAPSHOTS_PREFIX)) {
    const through = throughOfStates(path);
    if (through !== undefined) stored.push({ path, through, bytes });
  }
  return stored;
}

export class SnapshotReader {
  readonly #storage: Storage;
  readonly #log: CommitLog;
  readonly #newest: number;
  /** Listed for `through`, and not yet used. */
  #listed: readonly StoredSnapshot[] | undefined;

  /** @param newest snapshots of later commits are passed over. Default: none */
  constructor(storage: Storage, log: CommitLog, newest = Infinity) {
    this.#storage = storage;
    this.#log = log;
    this.#newest = newest;
  }

  async through(): Promise<number> {
    this.#listed = await storedSnapshots(this.#storage);
    return this.#listed[0]?.through ?? 0;
  }

  /**
   * @param head the newest commit that is known
   * @param since the newest commit about an erasure that is known; the snapshots from before it do not count
   * @throws {IntegrityError} the log is damaged, or has lost commits that a snapshot has seen
   */
  async newest(head: number, since: number): Promise<LogSnapshot | undefined> {
    const stored = this.#listed ?? (await storedSnapshots(this.#storage));
    this.#listed = undefined;
    const [latest] = stored;
    if (latest && latest.through > head) await this.#assertNotCut(latest);
    const last = Math.min(head - 1, this.#newest);
    const known = stored.filter(({ through }) => through >= since && through <= last);
    for (const candidate of known.slice(0, MOST_TRIED)) {
      const snapshot = await this.read(candidate, head);
      if (snapshot) return snapshot;
    }
    return undefined;
  }

  /** Another run may have appended since the head was read. */
  async #assertNotCut({ path, through }: StoredSnapshot): Promise<void> {
    if (((await this.#log.head())?.number ?? 0) >= through) return;
    const detail = `is missing from the log: ${path} was made after it; ${MAY_BE_CUT}`;
    throw new IntegrityError(commitPath(through), 'missing', detail);
  }

  /** Undefined if it does not count. @param head the newest commit that is known @throws {IntegrityError} */
  async read(stored: StoredSnapshot, head: number): Promise<LogSnapshot | undefined> {
    const entry = await this.#entryOf(stored, head);
    const snapshot = entry && (await this.#read(entry));
    return snapshot && (await this.#isOfThisLog(snapshot)) ? snapshot : undefined;
  }

  /** The entry of a snapshot as a commit names it. */
  async #entryOf(
    { path, through }: StoredSnapshot,
    head: number,
  ): Promise<SnapshotEntry | undefined> {
    const last = Math.min(head, through + MOST_BETWEEN);
    for (let number = through + 1; number <= last; number++) {
      const { snapshot } = await this.#log.read(number);
      if (snapshot?.path === path) return snapshot;
    }
    return undefined;
  }

  /** Where the states of a snapshot are, from its last line alone; none if it is not as it was written. */
  async statesOf(stored: StoredSnapshot, head: number): Promise<readonly StatesPart[]> {
    const entry = await this.#entryOf(stored, head);
    const bytes = entry && (await this.#bytesOf(entry));
    if (!bytes) return [];
    try {
      let last = '';
      const lines = snapshotLines(afterSessions(bytes, entry));
      for await (const some of lines) last = some.at(-1) ?? last;
      return lastIn(last).states;
    } catch {
      return [];
    }
  }

  async #read(entry: SnapshotEntry): Promise<LogSnapshot | undefined> {
    const bytes = await this.#bytesOf(entry);
    if (!bytes) return undefined;
    try {
      const snapshot = await decodeSnapshot(bytes, entry);
      return snapshot.head.number === entry.through ? snapshot : undefined;
    } catch {
      return undefined;
    }
  }

  /** Undefined if they are not as the log says. */
  async #bytesOf({ path, bytes: length, sha256 }: SnapshotEntry): Promise<Uint8Array | undefined> {
    const bytes = await getIfThere(this.#storage, path);
    return bytes?.byteLength === length && sha256Hex(bytes) === sha256 ? bytes : undefined;
  }

  async #isOfThisLog({ head }: LogSnapshot): Promise<boolean> {
    return (await this.#log.read(head.number + 1)).previous === head.digest;
  }
}

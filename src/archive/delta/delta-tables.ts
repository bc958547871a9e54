/**
 * Keeps the Delta logs of an archive's tables up to date. They are derived: whoever finds versions missing writes them,
 * whichever run has made the commits (I-60 in FORMAT.md).
 */
import { failureOf, messageOf } from '../../base/error.js';
import type { Logger } from '../../base/logger.js';
import { concurrently, Mutex } from '../../base/concurrently.js';
import { parseJson } from '../../base/text/parse-json.js';
import { TABLE_NAMES } from '../../model/tables.js';
import { type Storage } from '../../storage/storage.js';
import { deleteObjects, getIfThere } from '../../storage/small-objects.js';
import { StorageError } from '../../storage/storage-errors.js';
import type { ArchiveIdentity } from '../identity.js';
import type { LogIndex } from '../log/log-index.js';
import {
  deltaCheckpointPath,
  deltaLogPrefix,
  deltaObjectOf,
  deltaPointerPath,
  deltaVersionPath,
  type DeltaObject,
} from '../paths.js';
import { checkpointBytes, pointerBytes, versionBytes } from './delta-actions.js';
import { TableHistories, type TableHistory } from './table-history.js';

export interface PublishOptions {
  /** Whether to begin Delta logs where the archive has none. Default: it stays without. */
  readonly begin?: boolean;
  /** The last commit that counts. Default: the newest. */
  readonly through?: number;
}

export interface DeltaSource {
  /** May begin with a snapshot. */
  readonly index: LogIndex;
  /** The index of every commit; read only if a Delta log lacks versions from before the snapshot. */
  readonly whole: LogIndex;
}

/** Tables at a time. */
const CONCURRENCY = 4;

/** The objects of a table's Delta log. */
interface Found {
  readonly versions: ReadonlySet<number>;
  readonly checkpoints: ReadonlySet<number>;
}

const NOTHING_FOUND: Found = { versions: new Set(), checkpoints: new Set() };

/** What this object knows to be there. */
interface Published {
  readonly newest: number;
  readonly oldest: number;
  readonly checkpoint: number | undefined;
  /** What another run has put, until something is put after it. */
  readonly mayBeLost: Found | undefined;
}

export class DeltaTables {
  readonly #published = new Map<string, Published>();
  readonly #mutex = new Mutex();
  readonly #storage: Storage;
  readonly #identity: ArchiveIdentity;
  readonly #source: DeltaSource;
  #isThere = false;

  constructor(storage: Storage, identity: ArchiveIdentity, source: DeltaSource) {
    this.#storage = storage;
    this.#identity = identity;
    this.#source = source;
  }

  /**
   * Writes the versions that are missing, through the newest commit, and deletes those from before an erasure. What
   * is there is not compared: `verify` does that.
   *
   * @throws {IntegrityError} the log is damaged
   * @throws {StorageError}
   */
  async publish({ begin = false, through }: PublishOptions = {}): Promise<void> {
    if (!this.#identity.formats.includes('parquet')) return;
    await this.#mutex.run(async () => {
      const { index, whole } = this.#source;
      await index.refresh();
      if (!begin && !(await this.isThere())) return;
      this.#isThere = true;
      if (through === undefined) return this.#publishAll(index.tables);
      await whole.refresh();
      return this.#publishAll(tablesThrough(whole, through));
    });
  }

  async #publishAll(histories: TableHistories): Promise<void> {
    await concurrently(histories.tables, CONCURRENCY, async (history) => {
      if (await this.#publishTable(history)) return;
      const { whole } = this.#source;
      await whole.refresh();
      const all = whole.tables.get(history.table.name);
      if (all) await this.#publishTable(all);
    });
  }

  /** Publishes what a commit has changed: if the storage fails, readers of the Delta logs are late until the next run. */
  async tryPublish(logger: Logger, options: PublishOptions = {}): Promise<void> {
    try {
      await this.publish(options);
    } catch (error) {
      if (failureOf(error) !== 'storage') throw error;
      logger.warn({ reason: messageOf(error) }, 'cannot write the Delta tables; the next run does');
    }
  }

  /** Whether the archive has the Delta log of any table. */
  async isThere(): Promise<boolean> {
    for (const table of TABLE_NAMES) {
      if (this.#isThere) break;
      for await (const { path } of this.#storage.list(deltaLogPrefix(table))) {
        this.#isThere = deltaObjectOf(path) !== undefined;
        if (this.#isThere) break;
      }
    }
    return this.#isThere;
  }

  /** @returns false if versions are missing that the history does not know by themselves: nothing was written */
  async #publishTable(history: TableHistory): Promise<boolean> {
    const { name } = history.table;
    const { newest, oldest, newestCheckpoint: checkpoint } = history;
    const known = this.#published.get(name);
    if (known?.newest === newest) return true;
    // an erasure since then: what was there before it has to go
    const goesOn = known?.oldest === oldest && known.newest + 1 >= history.first;
    const found = goesOn ? NOTHING_FOUND : await this.#find(name);
    if (!goesOn && !(await this.#hasAllBefore(history, found))) return false;
    const first = goesOn ? known.newest + 1 : Math.max(oldest, history.first);
    // first, so that no reader misses the versions before it
    if (first === oldest && oldest > 0) await this.#putCheckpoint(history, oldest, found);
    const range = Array.from({ length: Math.max(0, newest + 1 - first) }, (_one, at) => first + at);
    const missing = range.filter((version) => !found.versions.has(version));
    const mayBeLost = goesOn ? known.mayBeLost : found;
    if (missing.length > 0 && mayBeLost) await this.#makeDurable(name, mayBeLost);
    for (const version of missing) {
      const bytes = versionBytes(this.#identity, history, version);
      await this.#storage.putIfAbsent(deltaVersionPath(name, version), bytes);
    }
    if (checkpoint !== undefined && checkpoint >= history.first) {
      await this.#publishCheckpoint(history, checkpoint, found);
    }
    await deleteObjects(this.#storage, [...pathsBefore(name, oldest, found)]);
    const rest = missing.length > 0 ? undefined : mayBeLost;
    this.#published.set(name, { newest, oldest, checkpoint, mayBeLost: rest });
    return true;
  }

  /** Whether all is there that the history only knows as a whole. */
  async #hasAllBefore(
    { table, first, oldest, newestCheckpoint: checkpoint }: TableHistory,
    { versions, checkpoints }: Found,
  ): Promise<boolean> {
    for (let version = oldest; version < first; version++) {
      if (!versions.has(version)) return false;
    }
    if (oldest > 0 && oldest < first && !checkpoints.has(oldest)) return false;
    if (checkpoint === undefined || checkpoint >= first) return true;
    const pointer = await getIfThere(this.#storage, deltaPointerPath(table.name));
    return (
      checkpoints.has(checkpoint) && pointer !== undefined && pointedVersion(pointer) >= checkpoint
    );
  }

  /** What another run has put may not outlive a power loss yet: what is built on it must not be there alone. */
  async #makeDurable(table: string, { versions, checkpoints }: Found): Promise<void> {
    const [version] = versions;
    const [checkpoint] = checkpoints;
    // all are in one directory
    if (version !== undefined) await this.#storage.makeDurable?.(deltaVersionPath(table, version));
    else if (checkpoint !== undefined)
      await this.#storage.makeDurable?.(deltaCheckpointPath(table, checkpoint));
  }

  async #publishCheckpoint(history: TableHistory, version: number, found: Found): Promise<void> {
    const { name } = history.table;
    if (this.#published.get(name)?.checkpoint === version) return;
    await this.#putCheckpoint(history, version, found);
    await this.#advancePointer(history, version);
  }

  async #putCheckpoint(history: TableHistory, version: number, found: Found): Promise<void> {
    if (found.checkpoints.has(version)) return this.#makeDurable(history.table.name, found);
    const path = deltaCheckpointPath(history.table.name, version);
    await this.#storage.putIfAbsent(path, await checkpointBytes(this.#identity, history, version));
  }

  /** A writer that is late must not name an older checkpoint again: an erasure may have deleted it. */
  async #advancePointer(history: TableHistory, version: number): Promise<void> {
    const path = deltaPointerPath(history.table.name);
    const bytes = pointerBytes(history, version);
    for (;;) {
      const seen = await getIfThere(this.#storage, path);
      if (seen && pointedVersion(seen) >= version) return;
      if (
        seen ? await this.#swap(path, seen, bytes) : await this.#storage.putIfAbsent(path, bytes)
      ) {
        return;
      }
    }
  }

  /**
   * A machine may have died with the lock. Readers do without what names a checkpoint, but find nothing of what it names
   * if that has to go: so it goes, and is put anew.
   */
  async #swap(path: string, seen: Uint8Array, bytes: Uint8Array): Promise<boolean> {
    try {
      return await this.#storage.compareAndSwap(path, seen, bytes);
    } catch (error) {
      if (!(error instanceof StorageError) || error.trouble !== 'locked') throw error;
      await this.#storage.delete(path);
      return false;
    }
  }

  async #find(table: string): Promise<Found> {
    const found = { versions: new Set<number>(), checkpoints: new Set<number>() };
    for await (const { path } of this.#storage.list(deltaLogPrefix(table))) {
      const object = deltaObjectOf(path);
      if (object?.kind === 'version') found.versions.add(object.version);
      if (object?.kind === 'checkpoint') found.checkpoints.add(object.version);
    }
    return found;
  }
}

/** What the object must hold; undefined where the log gives no such object. */
export async function expectedBytes(
  identity: ArchiveIdentity,
  history: TableHistory,
  object: Exclude<DeltaObject, { readonly kind: 'pointer' }>,
): Promise<Uint8Array | undefined> {
  const { kind, version } = object;
  if (version < history.oldest || version > history.newest) return undefined;
  if (kind === 'version') return versionBytes(identity, history, version);
  return history.hasCheckpoint(version) ? checkpointBytes(identity, history, version) : undefined;
}

/** The version of the checkpoint that a pointer names; -1 for one that cannot be read. */
export function pointedVersion(bytes: Uint8Array): number {
  try {
    const { version } = Object(parseJson(Buffer.from(bytes).toString())) as {
      readonly version?: unknown;
    };
    return typeof version === 'number' ? version : -1;
  } catch {
    return -1;
  }
}

/** The tables as they were at a commit. */
function tablesThrough({ fileChanges }: LogIndex, through: number): TableHistories {
  const histories = new TableHistories();
  for (const commit of fileChanges) if (commit.number <= through) histories.add(commit);
  return histories;
}

function pathsBefore(table: string, oldest: number, found: Found): string[] {
  const isBefore = (version: number) => version < oldest;
  return [
    ...[...found.checkpoints]
      .filter(isBefore)
      .map((version) => deltaCheckpointPath(table, version)),
    ...[...found.versions].filter(isBefore).map((version) => deltaVersionPath(table, version)),
  ];
}

/**
 * Keeps the Delta logs of an archive's tables up to date. They are derived: whoever finds versions missing writes them,
 * whichever run has made the commits (I-60 in FORMAT.md).
 */
import { failureOf, messageOf } from '../../base/error.js';
import type { Logger } from '../../base/logger.js';
import { concurrently, Mutex } from '../../base/concurrently.js';
import { parseJson } from '../../base/text/parse-json.js';
import { TABLE_NAMES } from '../../model/tables.js';
import { getIfThere, type Storage } from '../../storage/storage.js';
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
}

export class DeltaTables {
  readonly #histories = new TableHistories();
  readonly #published = new Map<string, Published>();
  readonly #mutex = new Mutex();
  readonly #storage: Storage;
  readonly #identity: ArchiveIdentity;
  readonly #index: LogIndex;
  #isThere = false;

  constructor(storage: Storage, identity: ArchiveIdentity, index: LogIndex) {
    this.#storage = storage;
    this.#identity = identity;
    this.#index = index;
  }

  /**
   * Writes the versions that are missing, through the newest commit, and deletes those from before an erasure. What
   * is there is not compared: `verify` does that.
   *
   * @throws {IntegrityError} the log is damaged
   * @throws {StorageError}
   */
  async publish(options: PublishOptions = {}): Promise<void> {
    if (!this.#identity.formats.includes('parquet')) return;
    await this.#mutex.run(async () => {
      await this.#index.refresh();
      if (options.begin !== true && !(await this.isThere())) return;
      this.#isThere = true;
      this.#histories.addAll(this.#index.fileChanges, options.through);
      await concurrently(this.#histories.tables, CONCURRENCY, (table) => this.#publishTable(table));
    });
  }

  /** Likewise after a commit: if the storage fails, readers of the Delta logs are late until the next run. */
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

  async #publishTable(history: TableHistory): Promise<void> {
    const { name } = history.table;
    const { newest, oldest, newestCheckpoint: checkpoint } = history;
    const known = this.#published.get(name);
    if (known?.newest === newest) return;
    // an erasure since then: what was there before it has to go
    const found = known?.oldest === oldest ? NOTHING_FOUND : await this.#find(name);
    const first = known?.oldest === oldest ? known.newest + 1 : oldest;
    // first, so that no reader misses the versions before it
    if (first === oldest && oldest > 0) await this.#putCheckpoint(history, oldest, found);
    for (let version = first; version <= newest; version++) {
      if (found.versions.has(version)) continue;
      const bytes = versionBytes(this.#identity, history, version);
      await this.#storage.putIfAbsent(deltaVersionPath(name, version), bytes);
    }
    if (checkpoint !== undefined) await this.#publishCheckpoint(history, checkpoint, found);
    for (const path of pathsBefore(name, oldest, found)) await this.#storage.delete(path);
    this.#published.set(name, { newest, oldest, checkpoint });
  }

  async #publishCheckpoint(history: TableHistory, version: number, found: Found): Promise<void> {
    const { name } = history.table;
    if (this.#published.get(name)?.checkpoint === version) return;
    await this.#putCheckpoint(history, version, found);
    await this.#advancePointer(history, version);
  }

  async #putCheckpoint(
    history: TableHistory,
    version: number,
    { checkpoints }: Found,
  ): Promise<void> {
    if (checkpoints.has(version)) return;
    const path = deltaCheckpointPath(history.table.name, version);
    await this.#storage.putIfAbsent(path, checkpointBytes(this.#identity, history, version));
  }

  /** A writer that is late must not name an older checkpoint again: an erasure may have deleted it. */
  async #advancePointer(history: TableHistory, version: number): Promise<void> {
    const path = deltaPointerPath(history.table.name);
    const bytes = pointerBytes(history, version);
    for (;;) {
      const seen = await getIfThere(this.#storage, path);
      if (seen && pointedVersion(seen) >= version) return;
      const isDone = seen
        ? await this.#storage.compareAndSwap(path, seen, bytes)
        : await this.#storage.putIfAbsent(path, bytes);
      if (isDone) return;
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
export function expectedBytes(
  identity: Pick<ArchiveIdentity, 'id'>,
  history: TableHistory,
  object: Exclude<DeltaObject, { readonly kind: 'pointer' }>,
): Uint8Array | undefined {
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

function pathsBefore(table: string, oldest: number, found: Found): string[] {
  const isBefore = (version: number) => version < oldest;
  return [
    ...[...found.checkpoints].filter(isBefore).map((of) => deltaCheckpointPath(table, of)),
    ...[...found.versions].filter(isBefore).map((of) => deltaVersionPath(table, of)),
  ];
}

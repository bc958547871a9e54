/** Compares every object of the Delta logs with what the log gives, and puts right what differs (I-60 in FORMAT.md). */
import { concurrently } from '../../base/concurrently.js';
import { TABLE_NAMES, tableNamed } from '../../model/tables.js';
import { haveSameRows } from '../../formats/parquet/nested-parquet.js';
import { type ObjectInfo, type StorageReading } from '../../storage/storage.js';
import { getIfThere } from '../../storage/small-objects.js';
import type { ArchiveIdentity } from '../identity.js';
import type { LogIndex } from '../log/log-index.js';
import {
  commitPath,
  deltaCheckpointPath,
  deltaLogPrefix,
  deltaObjectOf,
  deltaPointerPath,
  deltaVersionPath,
  type DeltaObject,
} from '../paths.js';
import type { Findings } from '../verify/findings.js';
import { pointerBytes } from './delta-actions.js';
import { expectedBytes, pointedVersion } from './delta-tables.js';
import { TableHistory } from './table-history.js';

export interface DeltaCheckOptions extends StorageReading {
  readonly identity: ArchiveIdentity;
  /** The index of the whole log, which must be sound. */
  readonly index: LogIndex;
  readonly concurrency: number;
}

const LATE = 'the next run, or --repair, writes it';
const REWRITES = '--repair writes it again';
const GOES = 'the next run, or --repair, deletes it';

/** An archive without the Delta log of any table has none to be verified. */
export async function verifyDelta(options: DeltaCheckOptions, findings: Findings): Promise<void> {
  const tables = await foundTables(options);
  if (tables.every(({ objects }) => objects.length === 0)) return;
  for (const table of tables) await new TableCheck(options, table, findings).run();
}

/**
 * Writes again what differs or is missing, and deletes what is from before an erasure. Versions that the log does not
 * give stay: they may show that it was cut.
 *
 * @param paths of objects that were found wrong
 * @returns those that are right now
 */
export async function repairDelta(
  { storage, identity, index, signal }: Omit<DeltaCheckOptions, 'concurrency'>,
  paths: readonly string[],
): Promise<string[]> {
  const repaired: string[] = [];
  for (const path of paths) {
    signal?.throwIfAborted();
    const object = deltaObjectOf(path);
    const history = object && index.tables.get(object.table);
    if (!object || !history) continue;
    const bytes =
      object.kind === 'pointer'
        ? newestPointer(history)
        : await expectedBytes(identity, history, object);
    if (object.kind !== 'pointer' && object.version > history.newest) continue;
    if (bytes) await storage.put(path, bytes);
    else await storage.delete(path);
    repaired.push(path);
  }
  return repaired;
}

/** The paths of all objects that the log gives; a table can be read once the last of its own is there. */
export function deltaPaths({ tables }: LogIndex): string[] {
  return tables.tables.flatMap(({ table: { name }, oldest, newest, newestCheckpoint: newer }) => {
    const checkpoints = [...new Set([...(oldest > 0 ? [oldest] : []), ...(newer ? [newer] : [])])];
    return [
      ...checkpoints.map((version) => deltaCheckpointPath(name, version)),
      ...Array.from({ length: newest - oldest + 1 }, (_, at) =>
        deltaVersionPath(name, oldest + at),
      ),
      ...(newer ? [deltaPointerPath(name)] : []),
    ];
  });
}

interface FoundTable {
  readonly history: TableHistory;
  readonly objects: readonly (ObjectInfo & { readonly object: DeltaObject })[];
}

async function foundTables({ storage, index }: DeltaCheckOptions): Promise<FoundTable[]> {
  const found: FoundTable[] = [];
  for (const name of TABLE_NAMES) {
    const table = tableNamed(name);
    if (!table) continue;
    const objects: FoundTable['objects'][number][] = [];
    for await (const info of storage.list(deltaLogPrefix(name))) {
      const object = deltaObjectOf(info.path);
      if (object) objects.push({ ...info, object });
    }
    found.push({ history: index.tables.get(name) ?? new TableHistory(table), objects });
  }
  return found;
}

class TableCheck {
  readonly #options: DeltaCheckOptions;
  readonly #history: TableHistory;
  readonly #objects: FoundTable['objects'];
  readonly #findings: Findings;

  constructor(options: DeltaCheckOptions, { history, objects }: FoundTable, findings: Findings) {
    this.#options = options;
    this.#history = history;
    this.#objects = objects;
    this.#findings = findings;
  }

  async run(): Promise<void> {
    const { concurrency, signal } = this.#options;
    await concurrently(this.#objects, concurrency, async ({ path, bytes, object }) => {
      signal?.throwIfAborted();
      const problem =
        object.kind === 'pointer'
          ? await this.#pointerProblem(path)
          : await this.#problemOf(path, bytes, object);
      if (problem !== undefined) this.#add(path, problem);
    });
    await this.#findMissing();
  }

  async #problemOf(
    path: string,
    bytes: number,
    object: Exclude<DeltaObject, { readonly kind: 'pointer' }>,
  ): Promise<string | undefined> {
    const { oldest, newest } = this.#history;
    const { version } = object;
    if (version > newest) return (await this.#hasCome(version - newest)) ? undefined : UNKNOWN;
    // a writer that was late, or died while it deleted them, leaves such: they name files, and nobody
    if (version < oldest) {
      this.#findings.note(path, `is from before an erasure: ${GOES}`);
      return undefined;
    }
    const expected = await expectedBytes(this.#options.identity, this.#history, object);
    if (!expected) return 'is a checkpoint of the Delta table where none belongs';
    const isSmall = bytes <= 2 * expected.byteLength + MOST_OTHER_BYTES;
    const there = isSmall ? await getIfThere(this.#options.storage, path) : undefined;
    if (!there) return (await this.#hasCome(1)) ? undefined : DIFFERS;
    if (Buffer.compare(there, expected) === 0) return undefined;
    if (object.kind !== 'checkpoint' || !(await haveSameRows(there, expected))) return DIFFERS;
    this.#findings.note(path, `has the actions that the log gives, in other bytes: ${REWRITES}`);
    return undefined;
  }

  /** Whether the log has got so many commits since it was read: a writer of one of them may have been here. */
  async #hasCome(commits: number): Promise<boolean> {
    const { storage, index } = this.#options;
    return (await storage.stat(commitPath(index.through + commits))) !== undefined;
  }

  /** It may be behind by a checkpoint that was just written, or ahead by one of a commit that has come since. */
  async #pointerProblem(path: string): Promise<string | undefined> {
    const bytes = await getIfThere(this.#options.storage, path);
    if (!bytes) return undefined; // just replaced
    const version = pointedVersion(bytes);
    const { table, oldest, newest } = this.#history;
    const { storage } = this.#options;
    if (version > newest) return (await this.#hasCome(version - newest)) ? undefined : DIFFERS;
    const isThere = this.#history.hasCheckpoint(version)
      ? (await storage.stat(deltaCheckpointPath(table.name, version))) !== undefined
      : false;
    if (isThere && version < oldest) {
      this.#findings.note(path, `names a checkpoint from before an erasure: ${LATE}`);
      return undefined;
    }
    const isRight = isThere && Buffer.compare(bytes, pointerBytes(this.#history, version)) === 0;
    return isRight || (await this.#isNewer(path, bytes)) ? undefined : DIFFERS;
  }

  /** A pointer that was replaced while it was looked at. */
  async #isNewer(path: string, seen: Uint8Array): Promise<boolean> {
    const now = await getIfThere(this.#options.storage, path);
    return (!now || Buffer.compare(now, seen) !== 0) && (await this.#hasCome(1));
  }

  async #findMissing(): Promise<void> {
    const { table, oldest, newest, newestCheckpoint } = this.#history;
    const there = new Set(this.#objects.map(({ path }) => path));
    const highest = this.#objects.reduce(
      (most, { object }) => (object.kind === 'version' ? Math.max(most, object.version) : most),
      -1,
    );
    for (let version = oldest; version <= newest; version++) {
      const path = deltaVersionPath(table.name, version);
      if (there.has(path)) continue;
      // it may have been written since, or deleted by an erasure that has come since
      if (await this.#options.storage.stat(path)) continue;
      if (version < highest) {
        if (!(await this.#hasCome(1))) this.#add(path, 'is missing from the Delta table');
      } else this.#findings.note(path, `is not written yet: ${LATE}`);
    }
    if (newestCheckpoint === undefined) return;
    const checkpoint = deltaCheckpointPath(table.name, newestCheckpoint);
    if (!there.has(checkpoint)) this.#findings.note(checkpoint, `is not written yet: ${LATE}`);
    const pointer = deltaPointerPath(table.name);
    if (!there.has(pointer)) this.#findings.note(pointer, `is not written yet: ${LATE}`);
  }

  #add(path: string, detail: string): void {
    this.#findings.add({ path, problem: 'delta', detail });
  }
}

/** What the bytes of a checkpoint may be beside twice those that are expected. */
const MOST_OTHER_BYTES = 65_536;

const UNKNOWN = 'is of a version of the Delta table that the log does not give';
const DIFFERS = 'differs from what the log gives';

function newestPointer(history: TableHistory): Uint8Array | undefined {
  const { newestCheckpoint } = history;
  return newestCheckpoint === undefined ? undefined : pointerBytes(history, newestCheckpoint);
}

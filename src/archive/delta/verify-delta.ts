/** Compares every object of the Delta logs with what the log gives, and puts right what differs (I-60 in FORMAT.md). */
import { concurrently } from '../../base/concurrently.js';
import { TABLE_NAMES } from '../../model/tables.js';
import { getIfThere, type ObjectInfo, type Storage } from '../../storage/storage.js';
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
import type { Findings } from '../verify/findings.js';
import { pointerBytes } from './delta-actions.js';
import { expectedBytes, pointedVersion } from './delta-tables.js';
import { TableHistory } from './table-history.js';
import { tableNamed } from '../../model/tables.js';

export interface DeltaCheckOptions {
  readonly storage: Storage;
  readonly identity: ArchiveIdentity;
  /** Of the whole log, which must be sound. */
  readonly index: LogIndex;
  readonly concurrency: number;
  readonly signal?: AbortSignal | undefined;
}

const LATE = 'the next run, or --repair, writes it';
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
      object.kind === 'pointer' ? newestPointer(history) : expectedBytes(identity, history, object);
    if (object.kind !== 'pointer' && object.version > history.newest) continue;
    if (bytes) await storage.put(path, bytes);
    else await storage.delete(path);
    repaired.push(path);
  }
  return repaired;
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
    this.#findMissing();
  }

  async #problemOf(
    path: string,
    bytes: number,
    object: Exclude<DeltaObject, { readonly kind: 'pointer' }>,
  ): Promise<string | undefined> {
    const { oldest, newest } = this.#history;
    const { version } = object;
    if (version > newest) return 'is of a version of the Delta table that the log does not give';
    // a writer that was late, or died while it deleted them, leaves such: they name files, and nobody
    if (version < oldest) {
      this.#findings.note(path, `is from before an erasure: ${GOES}`);
      return undefined;
    }
    const expected = expectedBytes(this.#options.identity, this.#history, object);
    if (!expected) return 'is a checkpoint of the Delta table where none belongs';
    if (expected.byteLength === bytes) {
      const there = await getIfThere(this.#options.storage, path);
      if (there && Buffer.compare(there, expected) === 0) return undefined;
    }
    return DIFFERS;
  }

  /** It may be behind by a checkpoint that was just written. */
  async #pointerProblem(path: string): Promise<string | undefined> {
    const bytes = await getIfThere(this.#options.storage, path);
    if (!bytes) return undefined; // just replaced
    const version = pointedVersion(bytes);
    const isThere = this.#objects.some(
      ({ object }) => object.kind === 'checkpoint' && object.version === version,
    );
    const isRight =
      isThere &&
      this.#history.hasCheckpoint(version) &&
      version <= this.#history.newest &&
      Buffer.compare(bytes, pointerBytes(this.#history, version)) === 0;
    return isRight ? undefined : DIFFERS;
  }

  #findMissing(): void {
    const { table, oldest, newest, newestCheckpoint } = this.#history;
    const there = new Set(this.#objects.map(({ path }) => path));
    const highest = this.#objects.reduce(
      (most, { object }) => (object.kind === 'version' ? Math.max(most, object.version) : most),
      -1,
    );
    for (let version = oldest; version <= newest; version++) {
      const path = deltaVersionPath(table.name, version);
      if (there.has(path)) continue;
      if (version < highest) this.#add(path, 'is missing from the Delta table');
      else this.#findings.note(path, `is not written yet: ${LATE}`);
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

const DIFFERS = 'differs from what the log gives';

function newestPointer(history: TableHistory): Uint8Array | undefined {
  const { newestCheckpoint } = history;
  return newestCheckpoint === undefined ? undefined : pointerBytes(history, newestCheckpoint);
}

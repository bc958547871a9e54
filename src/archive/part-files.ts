/** Writes a part file from rows and makes its entry; reads the rows of a part file, which is compared with the log on the way: the one way to read one. */
import type { RowFormat, WantedRows } from '../formats/format.js';
import type { RunId } from '../model/ids.js';
import type { Row, TableSchema } from '../model/table-schema.js';
import { jobsTable, sessionsTable } from '../model/tables.js';
import type { StagedObject, Storage } from '../storage/storage.js';
import type { FileEntry } from './log/commit.js';
import { partitionOf, partPath } from './paths.js';
import { IntegrityError } from './archive-errors.js';
import { checkedBytes, type NamedObject } from './checked-objects.js';

/** A file that is written and not published yet. */
export interface WrittenPart {
  readonly entry: FileEntry;
  readonly staged: StagedObject;
}

export interface PartTarget {
  readonly storage: Storage;
  readonly table: TableSchema;
  readonly format: RowFormat;
  readonly run: RunId;
  /** UTC day of the partition. */
  readonly day: string;
  readonly n: number;
  readonly expectedBytes?: number;
}

/** Writes a part file without publishing it. */
export async function writePart(
  target: PartTarget,
  batches: AsyncIterable<readonly Row[]>,
): Promise<WrittenPart> {
  const { storage, table, format, run, day, n, expectedBytes } = target;
  const staged = await storage.stage(expectedBytes === undefined ? {} : { expectedBytes });
  try {
    const writer = format.openWriter(table, staged);
    const bounds = new BoundsSoFar();
    for await (const batch of batches) await writer.write(bounds.over(batch));
    const { rows } = await writer.finish();
    const { bytes, sha256 } = await staged.close();
    const path = partPath(table.name, day, run, n, format.extension);
    const schema = table.fingerprint;
    const created = bounds.for(table, path);
    const entry = { path, table: table.name, rows, bytes, sha256, schema, ...created };
    return { entry, staged };
  } catch (error) {
    await staged.discard();
    throw error;
  }
}

/** The bounds of `created_at` in a part file: readers of its Delta table pass over files that have nothing of a period. */

/** In microseconds since 1970 UTC; null if no row has a time. */
type CreatedBounds = NonNullable<FileEntry['created']> | null;

/** Looks at rows on their way into a file. */
export class BoundsSoFar {
  #min: bigint | undefined;
  #max: bigint | undefined;

  *over(rows: Iterable<Row>): Generator<Row> {
    for (const row of rows) {
      this.#add(row['created_at']);
      yield row;
    }
  }

  #add(time: Row[string] | undefined): void {
    if (typeof time !== 'bigint') return;
    if (this.#min === undefined || time < this.#min) this.#min = time;
    if (this.#max === undefined || time > this.#max) this.#max = time;
  }

  /** What the entry of the file says of them; nothing of a file without bounds. */
  for(table: TableSchema, path: string): { readonly created?: CreatedBounds } {
    return hasBounds(table) && partitionOf(path)?.extension === 'parquet'
      ? { created: this.#bounds() }
      : {};
  }

  /** An id may claim any time: one that a number does not hold exactly bounds nothing. */
  #bounds(): CreatedBounds {
    const bounds = [Number(this.#min), Number(this.#max)] as const;
    return bounds.every(Number.isSafeInteger) ? bounds : null;
  }
}

export function hasBounds({ name }: Pick<TableSchema, 'name'>): boolean {
  return name === sessionsTable.name || name === jobsTable.name;
}

/** Reads the rows of a part file, which is compared with the log on the way: the one way to read one. */

/** How the rows of a part file are read. */
interface PartReading {
  readonly table: TableSchema;
  readonly format: RowFormat;
  /** Columns that the caller does not need: their cells may be null. Default: none. */
  readonly omitted?: readonly string[] | undefined;
  /** Rows that the caller needs; others may be blank. Default: all. */
  readonly wanted?: WantedRows | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** All columns but these, which alone are needed: `omitted` of a reading. */
export function columnsBut({ columns }: TableSchema, needed: readonly string[]): string[] {
  return columns.map(({ name }) => name).filter((name) => !needed.includes(name));
}

/**
 * Yields the rows in the order written. The whole file is hashed before, because a Parquet file is not
 * read from one end to the other, and no row of an altered file may be yielded.
 *
 * @throws {IntegrityError} the file is missing, or its size, SHA-256 or number of rows differs from the log
 * @throws {FormatError} the file does not have the format of its table
 */
export async function* readPart(
  { storage }: { readonly storage: Storage },
  file: NamedObject & { readonly rows: number },
  { table, format, omitted, wanted, signal }: PartReading,
): AsyncGenerator<readonly Row[]> {
  let rows = 0;
  await using bytes = await checkedBytes(storage, file, signal);
  for await (const batch of format.readRows(table, bytes, omitted, wanted)) {
    signal?.throwIfAborted();
    rows += batch.length;
    yield batch;
  }
  if (rows === file.rows) return;
  throw new IntegrityError(file.path, 'rows', `has ${rows} rows instead of ${file.rows}`);
}

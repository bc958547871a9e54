/** Reads the rows of a part file, which is compared with the log on the way: the one way to read one. */
import type { RowFormat, WantedRows } from '../../formats/format.js';
import type { Row, TableSchema } from '../../model/table-schema.js';
import type { Storage } from '../../storage/storage.js';
import { IntegrityError } from '../archive-errors.js';
import { checkedBytes, type NamedObject } from '../objects/checked-objects.js';

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

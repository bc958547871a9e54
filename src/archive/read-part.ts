/** Reads the rows of a part file after its size and SHA-256 were compared with its commit. */
import type { RowFormat, WantedRows } from '../formats/format.js';
import type { Row, TableSchema } from '../model/table-schema.js';
import type { Archive } from './archive.js';
import { checkedBytes } from './checked-objects.js';
import type { FileEntry } from './log/commit.js';
import { IntegrityError } from './archive-errors.js';

export interface PartReading {
  readonly table: TableSchema;
  readonly format: RowFormat;
  /** Columns that the caller does not need: their cells may be null. Default: none. */
  readonly omitted?: readonly string[] | undefined;
  /** Rows that the caller needs; others may be blank. Default: all. */
  readonly wanted?: WantedRows | undefined;
  readonly signal?: AbortSignal | undefined;
}

/**
 * Yields the rows in the order written. The whole file is hashed before, because a Parquet file is not
 * read from one end to the other, and no row of an altered file may be yielded.
 *
 * @throws {IntegrityError} the file is missing, or its size, SHA-256 or number of rows differs from the log
 * @throws {FormatError} the file does not have the format of its table
 */
export async function* readPart(
  { storage }: Pick<Archive, 'storage'>,
  file: FileEntry,
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

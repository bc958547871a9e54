/** The port between the tables and the bytes of a file format. */
import type { Row, TableSchema } from '../model/table-schema.js';

/** Where a writer's bytes go; every write is awaited. */
export interface ByteSink {
  write(chunk: Uint8Array): Promise<void>;
}

/** Bytes that can be read in any order: a staged or a stored object. */
export interface ByteSource {
  readonly bytes: number;
  /** Streams from `start` (inclusive, default 0) to `end` (exclusive, default the end). */
  read(range?: { readonly start: number; readonly end: number }): AsyncIterable<Uint8Array>;
}

/** Writes the rows of one table to one file. `write*` → `finish`. */
export interface RowWriter {
  /** Resolves when more may be written. Memory held is bounded whatever the number of rows. */
  write(rows: readonly Row[]): Promise<void>;
  /** Bytes given to the sink so far plus an estimate of what is still buffered: drives checkpoints. */
  readonly pendingBytes: number;
  /** Writes what is left (an empty table is a valid file too). */
  finish(): Promise<{ readonly rows: number }>;
}

export type RowFormatName = 'parquet' | 'jsonl';

/** A format that the archive keeps as its tables, and so can read back. */
export interface RowFormat {
  readonly name: RowFormatName;
  /** Without the leading dot: `parquet`, `jsonl.gz`. */
  readonly extension: string;
  openWriter(table: TableSchema, sink: ByteSink): RowWriter;
  /**
   * Yields the rows in the order written, in batches of bounded size, typed as the table says.
   *
   * @throws {FormatError} the bytes are not this format, or their columns are not the table's
   */
  readRows(table: TableSchema, source: ByteSource): AsyncIterable<readonly Row[]>;
  /** How many rows the file holds; reads as little of it as the format allows. @throws {FormatError} */
  countRows(source: ByteSource): Promise<number>;
}

/** One sheet's rows, or several tables' in turn: see `xlsx/`. */
export interface SheetSource {
  readonly table: TableSchema;
  readonly rows: AsyncIterable<readonly Row[]>;
}

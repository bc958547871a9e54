/** The interfaces of file formats: rows to bytes and back. */
import type { Row, TableSchema } from '../model/table-schema.js';

/** Where a writer's bytes go; every write is awaited. */
export interface ByteSink {
  write(chunk: Uint8Array): Promise<void>;
}

/** Bytes with random access: a staged or a stored object. */
export interface ByteSource {
  readonly bytes: number;
  /** Streams from `start` (inclusive, default 0) to `end` (exclusive, default the end). */
  read(range?: { readonly start: number; readonly end: number }): AsyncIterable<Uint8Array>;
}

/** Writes the rows of one table to one file: any number of `write`, then `finish`. */
export interface RowWriter {
  /** Resolves when more may be written. Memory is bounded whatever the number of rows. */
  write(rows: Iterable<Row>): Promise<void>;
  /** Bytes written to the sink so far plus an estimate of the buffered ones: triggers checkpoints. */
  readonly pendingBytes: number;
  /** Writes the rest. Also without any row the file is valid. */
  finish(): Promise<{ readonly rows: number }>;
}

export type RowFormatName = 'parquet' | 'jsonl';

/** A format of the archive's part files, which can be read back. */
export interface RowFormat {
  readonly name: RowFormatName;
  /** Without the leading dot: `parquet`, `jsonl.gz`. */
  readonly extension: string;
  openWriter(table: TableSchema, sink: ByteSink): RowWriter;
  /**
   * Yields the rows in the order written, in batches of bounded size, with the table's types.
   *
   * @param omitted columns that the caller does not need: their cells may be null
   * @throws {FormatError} the bytes are not in this format, or their columns are not the table's
   */
  readRows(
    table: TableSchema,
    source: ByteSource,
    omitted?: readonly string[],
  ): AsyncIterable<readonly Row[]>;
  /** The number of rows in the file; reads as little as the format allows. @throws {FormatError} */
  countRows(source: ByteSource): Promise<number>;
}

/** The rows of a table for a workbook: see `xlsx/`. */
export interface SheetSource {
  readonly table: TableSchema;
  readonly rows: AsyncIterable<readonly Row[]>;
}

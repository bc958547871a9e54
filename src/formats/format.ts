/** The interfaces of file formats: rows to bytes and back; and the sink that compresses what a format writes. */
import type { Row, TableSchema } from '../model/table-schema.js';
import { JobvaultError } from '../base/error.js';

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

/** Whether the caller needs the rows of a session, with ids as rows have them. */
export type WantedRows = (user: string, session: string) => boolean;

/** A format of the archive's part files, which can be read back. */
export interface RowFormat {
  readonly name: string;
  /** Without the leading dot: `parquet`, `jsonl.gz`. */
  readonly extension: string;
  openWriter(table: TableSchema, sink: ByteSink): RowWriter;
  /**
   * Yields the rows in the order written, in batches of bounded size, with the table's types.
   *
   * @param omitted columns that the caller does not need: their cells may be null
   * @param wanted of tables that have users and sessions: other rows may be blank, with null in every cell
   * @throws {FormatError} the bytes are not in this format, or their columns are not the table's
   */
  readRows(
    table: TableSchema,
    source: ByteSource,
    omitted?: readonly string[],
    wanted?: WantedRows,
  ): AsyncIterable<readonly Row[]>;
  /** The number of rows in the file; reads as little as the format allows. @throws {FormatError} */
  countRows(source: ByteSource): Promise<number>;
}

/** The rows of a table for a workbook: see `xlsx/`. */
export interface SheetSource {
  readonly table: TableSchema;
  readonly rows: AsyncIterable<readonly Row[]>;
}

/** A file or a row does not match its format or its table. */
export class FormatError extends JobvaultError {
  override readonly name = 'FormatError';
  readonly code = 'FORMAT_UNREADABLE';
  readonly disposition = 'fatal';
  readonly failure = 'integrity';
}

/** Keeps a writer failed after its first failure: its buffered rows are lost, and a file without them must not look complete. */
export class FailFast {
  #failure: { readonly error: unknown } | undefined;

  /** @throws the error of the first failed run, without running the work again */
  async run<T>(work: () => Promise<T>): Promise<T> {
    if (this.#failure) throw this.#failure.error;
    try {
      return await work();
    } catch (error) {
      this.#failure = { error };
      throw error;
    }
  }
}

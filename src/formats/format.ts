/** The interfaces of file formats: rows to bytes and back; and the sink that compresses what a format writes. */
import type { Row, TableSchema, CellValue, Column } from '../model/table-schema.js';
import { JobvaultError } from '../base/error.js';
import type { Deflate, DeflateRaw, Gzip } from 'node:zlib';

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

/** Checks cells against their column's type. Every writer uses it, so that no format alters a value. */

const INT32_MAX = 2 ** 31 - 1;
const INT64_MAX = 2n ** 63n - 1n;
/** The range of `Date` in microseconds: the years -271821 to 275760. */
const TIMESTAMP_MAX = 8_640_000_000_000_000_000n;

/**
 * The value of a row's column, checked against the column's type and range.
 *
 * @throws {FormatError} the column is absent, is a key without a value, or has a value of another type; the
 * message names table, column and type, never a text
 */
export function cellOf(table: TableSchema, column: Column, row: Row): CellValue {
  const value = row[column.name];
  if (value === null && !column.isKey) return value;
  if (value === undefined || value === null || !fits(column, value)) {
    throw new FormatError(
      `${table.name}.${column.name} must be ${describe(column)}, but a row has ${kindOf(value)}`,
    );
  }
  return value;
}

function fits(column: Column, value: NonNullable<CellValue>): boolean {
  switch (column.type) {
    case 'string':
      return typeof value === 'string';
    case 'bool':
      return typeof value === 'boolean';
    case 'int32':
      return (
        typeof value === 'number' &&
        Number.isInteger(value) &&
        value <= INT32_MAX &&
        value >= -INT32_MAX - 1
      );
    case 'int64':
      return typeof value === 'bigint' && value <= INT64_MAX && value >= -INT64_MAX - 1n;
    case 'ts':
      return typeof value === 'bigint' && value <= TIMESTAMP_MAX && value >= -TIMESTAMP_MAX;
  }
}

function describe({ type, isKey }: Column): string {
  return isKey ? `${type}, never null` : `${type} or null`;
}

function kindOf(value: CellValue | undefined): string {
  if (value === undefined || value === null) return value === null ? 'null' : 'no value';
  return typeof value === 'number' || typeof value === 'bigint'
    ? `the ${typeof value} ${value.toString()}`
    : `a ${typeof value}`;
}

/** Compresses bytes on their way to a sink. Every write waits for the sink, so that memory is bounded. */

export class CompressedSink implements ByteSink {
  /** Compressed bytes written to the sink so far. */
  writtenBytes = 0;
  readonly #compressor: Gzip | Deflate | DeflateRaw;
  readonly #sink: ByteSink;
  #ready: Uint8Array[] = [];

  constructor(compressor: Gzip | Deflate | DeflateRaw, sink: ByteSink) {
    this.#compressor = compressor;
    this.#sink = sink;
    compressor.on('data', (chunk: Uint8Array) => this.#ready.push(chunk));
    // each call gets a failure through its own callback; without a listener Node would end the process
    compressor.on('error', () => undefined);
  }

  async write(chunk: Uint8Array): Promise<void> {
    await new Promise<void>((resolve, reject) => {
      this.#compressor.write(chunk, (error) => (error ? reject(error) : resolve()));
    });
    await this.#drain();
  }

  /** Flushes the compressor; the sink stays open. */
  async end(): Promise<void> {
    await new Promise<void>((resolve, reject) => {
      this.#compressor.once('end', resolve).once('error', reject).end();
    });
    await this.#drain();
  }

  async #drain(): Promise<void> {
    const ready = this.#ready;
    this.#ready = [];
    try {
      for (const chunk of ready) {
        await this.#sink.write(chunk);
        this.writtenBytes += chunk.byteLength;
      }
    } catch (error) {
      this.#compressor.destroy();
      throw error;
    }
  }
}

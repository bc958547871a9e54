/** The JSON lines format: a gzipped text file with one JSON object per line. */
import { isUtf8 } from 'node:buffer';
import {
  type Row,
  type TableSchema,
  hasColumns,
  type CellValue,
  type Column,
} from '../../model/table-schema.js';
import {
  type ByteSource,
  type RowFormat,
  type ByteSink,
  type RowWriter,
  FormatError,
  FailFast,
  cellOf,
  CompressedSink,
} from '../format.js';
import { createGzip } from 'node:zlib';
import { messageOf } from '../../base/error.js';
import { gunzipped } from '../../base/decompressed.js';
import { parseJson } from '../../base/text/parse-json.js';
import { spanAt } from '../../model/json-outline.js';
import { formatTimestamp } from '../../model/created-at.js';

export function createJsonlFormat(): RowFormat {
  return {
    name: 'jsonl',
    extension: 'jsonl.gz',
    openWriter: (table, sink) => new JsonlRowWriter(table, sink),
    readRows,
    countRows,
  };
}

async function* readRows(table: TableSchema, source: ByteSource): AsyncGenerator<readonly Row[]> {
  for await (const lines of gzippedLines(source)) {
    yield lines.map((line) => parseJsonRow(table, decode(line)));
  }
}

/** Decompresses all lines, since gzip has no count of them, but parses none. */
async function countRows(source: ByteSource): Promise<number> {
  let rows = 0;
  for await (const lines of gzippedLines(source)) rows += lines.length;
  return rows;
}

function decode(line: Buffer): string {
  if (!isUtf8(line)) throw new FormatError('A line is not UTF-8');
  return line.toString('utf8');
}

/** Writes rows to gzipped JSON lines. Memory holds one chunk and the compressor's window. */

/** Each chunk is a task of the thread pool: for much smaller ones its overhead would dominate. */
const CHUNK_BYTES = 128 * 1024;
/** At most, in UTF-8. */
const BYTES_PER_CODE_UNIT = 3;
/** The compressor's output buffer. With zlib's default of 16 KiB, a chunk takes several round trips. */
const COMPRESSED_BYTES = 64 * 1024;
/** zlib's default level, 6, takes 2.3 times the CPU time for files that are a seventh smaller. */
const LEVEL = 3;
const NEWLINE = 0x0a;

class JsonlRowWriter implements RowWriter {
  readonly #formatter: JsonRowFormatter;
  readonly #gzip: CompressedSink;
  readonly #state = new FailFast();
  /** Reused for each chunk: the compressor has read it when its write resolves. */
  #chunk = Buffer.allocUnsafeSlow(CHUNK_BYTES);
  #used = 0;
  #rows = 0;

  constructor(table: TableSchema, sink: ByteSink) {
    this.#formatter = new JsonRowFormatter(table);
    const gzip = createGzip({ chunkSize: COMPRESSED_BYTES, level: LEVEL });
    this.#gzip = new CompressedSink(gzip, sink);
  }

  get pendingBytes(): number {
    return this.#gzip.writtenBytes + this.#used;
  }

  async write(rows: Iterable<Row>): Promise<void> {
    await this.#state.run(async () => {
      for (const row of rows) {
        const line = this.#formatter.format(row);
        const maxBytes = line.length * BYTES_PER_CODE_UNIT + 1;
        if (this.#used + maxBytes > this.#chunk.byteLength) await this.#makeRoom(maxBytes);
        // line by line: V8 encodes a text of many concatenated pieces at half the speed
        this.#used += this.#chunk.write(line, this.#used, 'utf8');
        this.#chunk[this.#used++] = NEWLINE;
        this.#rows++;
      }
    });
  }

  async finish(): Promise<{ readonly rows: number }> {
    return this.#state.run(async () => {
      await this.#flush();
      await this.#gzip.end();
      return { rows: this.#rows };
    });
  }

  async #makeRoom(bytes: number): Promise<void> {
    await this.#flush();
    if (this.#chunk.byteLength < bytes) this.#chunk = Buffer.allocUnsafeSlow(bytes);
  }

  async #flush(): Promise<void> {
    const bytes = this.#used;
    if (bytes === 0) return;
    this.#used = 0;
    await this.#gzip.write(this.#chunk.subarray(0, bytes));
  }
}

/** Reads the lines of a gzipped text as a stream. */

/** V8's longest string has 2^29 characters. No line of jobvault comes near that. */
const MAX_LINE_BYTES = 2 ** 28;

/**
 * Yields batches of lines, as bytes and without the line break.
 *
 * @param maxLineBytes for tests
 * @throws {FormatError} the gzip stream is damaged or cut short, or a line is longer than 256 MiB
 * @throws what the source throws, unchanged
 */
export async function* gzippedLines(
  source: ByteSource,
  maxLineBytes = MAX_LINE_BYTES,
): AsyncGenerator<readonly Buffer[]> {
  let partial: Buffer[] = [];
  let partialBytes = 0;
  for await (const chunk of gunzipped(source.read(), damaged)) {
    const lines: Buffer[] = [];
    let start = 0;
    for (let end = chunk.indexOf(NEWLINE); end >= 0; end = chunk.indexOf(NEWLINE, start)) {
      lines.push(Buffer.concat([...partial, chunk.subarray(start, end)]));
      partial = [];
      partialBytes = 0;
      start = end + 1;
    }
    partial.push(chunk.subarray(start));
    partialBytes += chunk.byteLength - start;
    if (partialBytes > maxLineBytes) {
      throw new FormatError(`A line is longer than ${maxLineBytes} bytes`);
    }
    if (lines.length > 0) yield lines;
  }
  if (partialBytes > 0) yield [Buffer.concat(partial)];
}

function damaged(cause: unknown): FormatError {
  return new FormatError(`The gzip stream is damaged: ${messageOf(cause)}`, { cause });
}

/** Formats a row as a JSON object and parses it, with all columns in order and all digits. */

/** Characters. A longer text hardly ever repeats, and may keep a response body in memory of which it is a slice. */
const LONGEST_REPEATED = 64;

/** A column and the JSON of its last cell: most keys and times are the same from row to row. */
interface Member {
  readonly column: Column;
  readonly start: string;
  value: CellValue | undefined;
  json: string;
}

class JsonRowFormatter {
  readonly #table: TableSchema;
  readonly #members: readonly Member[];

  constructor(table: TableSchema) {
    this.#table = table;
    this.#members = table.columns.map((column, index) => {
      const start = `${index === 0 ? '{' : ','}"${column.name}":`;
      return { column, start, value: undefined, json: '' };
    });
  }

  /** Without a line break. Integers beyond 2^53 are JSON numbers with all digits, timestamps are ISO 8601 text. */
  format(row: Row): string {
    let json = '';
    for (const member of this.#members) {
      const { column, start } = member;
      const value = cellOf(this.#table, column, row);
      if (typeof value === 'string' && value.length > LONGEST_REPEATED) {
        json += start + formatCell(column, value);
        continue;
      }
      if (value !== member.value) {
        member.value = value;
        member.json = start + formatCell(column, value);
      }
      json += member.json;
    }
    return `${json}}`;
  }
}

function formatCell({ type }: Column, value: CellValue): string {
  if (typeof value === 'string') return JSON.stringify(value.toWellFormed());
  if (typeof value !== 'bigint') return String(value);
  return type === 'ts' ? `"${formatTimestamp(value)}"` : value.toString();
}

/**
 * @throws {FormatError} the line is not a JSON object, or its members are not the table's columns in order
 */
function parseJsonRow(table: TableSchema, line: string): Row {
  const parsed = parse(line);
  if (!hasColumns(table, Object.keys(parsed))) {
    throw new FormatError(`A line's members are not the columns of ${table.name}`);
  }
  const row: Record<string, CellValue> = {};
  for (const column of table.columns) {
    row[column.name] = parseCell(column, parsed[column.name], line);
  }
  for (const column of table.columns) cellOf(table, column, row);
  return row;
}

function parse(line: string): Record<string, CellValue> {
  let parsed: unknown;
  try {
    parsed = parseJson(line);
  } catch (cause) {
    throw new FormatError(`A line is not JSON: ${messageOf(cause)}`, { cause });
  }
  if (typeof parsed !== 'object' || parsed === null || Array.isArray(parsed)) {
    throw new FormatError('A line is not a JSON object');
  }
  return parsed as Record<string, CellValue>;
}

function parseCell({ name, type }: Column, value: CellValue | undefined, line: string): CellValue {
  if (type === 'ts' && typeof value === 'string') return parseMicros(name, value);
  if (type !== 'int64' || typeof value !== 'number') return value ?? null;
  if (Number.isSafeInteger(value)) return BigInt(value);
  // JSON.parse has rounded it; the line has the digits
  const span = spanAt(line, [name]);
  const digits = span ? line.slice(span.start, span.end) : '';
  if (!/^-?\d{1,19}$/.test(digits)) throw new FormatError(`${name} is not an integer in a line`);
  return BigInt(digits);
}

/** The form that `formatTimestamp` writes, also for years beyond 9999. */
const INSTANT = /^((?:\d{4}|[+-]\d{6})-\d\d-\d\dT\d\d:\d\d:\d\d)\.(\d{6})Z$/;

function parseMicros(name: string, text: string): bigint {
  const match = INSTANT.exec(text);
  const ms = Date.parse(`${match?.[1] ?? ''}Z`);
  if (!match || Number.isNaN(ms)) {
    throw new FormatError(`${name} is not an ISO 8601 time with microseconds in a line`);
  }
  return BigInt(ms) * 1000n + BigInt(match[2] ?? 0);
}

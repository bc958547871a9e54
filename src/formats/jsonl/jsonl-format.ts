/** The JSON lines format: a gzipped text file with one JSON object per line. */
import { isUtf8 } from 'node:buffer';
import type { Row, TableSchema } from '../../model/table-schema.js';
import {
  type ByteSource,
  type RowFormat,
  type ByteSink,
  type RowWriter,
  FormatError,
  FailFast,
} from '../format.js';
import { parseJsonRow, JsonRowFormatter } from './json-row.js';
import { createGzip } from 'node:zlib';
import { CompressedSink } from '../compressed-sink.js';
import { messageOf } from '../../base/error.js';
import { gunzipped } from '../../base/gunzipped.js';

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

/** The JSON lines format: a gzipped text file with one JSON object per line. */
import { isUtf8 } from 'node:buffer';
import { type Row, type TableSchema } from '../../model/table-schema.js';
import { type ByteSource, type RowFormat, FormatError } from '../format.js';
import { messageOf } from '../../base/error.js';
import { gunzipped } from '../../base/gunzipped.js';
import { parseJsonRow } from './json-row-formatter.js';
import { JsonlRowWriter, NEWLINE } from './jsonl-writer.js';

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

/** Reads the lines of a gzipped text as a stream. */
import { type ByteSource, FormatError } from '../format.js';
import { messageOf } from '../../base/error.js';
import { gunzipped } from '../../base/gunzipped.js';
import { NEWLINE } from './jsonl-writer.js';

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

/** Lines of text, gzipped, streaming both ways. */
import { createGzip } from 'node:zlib';
import { gunzipped } from '../../base/gunzipped.js';
import { gzipBytes } from '../../base/gzip.js';
import { type ByteSink } from '../../formats/format.js';
import { CompressedSink } from '../../formats/compressed-sink.js';

const BLOCK_LENGTH = 64 * 1024;

/** Writes a line feed after each line. Returns the number of lines. */
export async function writeGzipLines(
  lines: Iterable<string> | AsyncIterable<string>,
  sink: ByteSink,
): Promise<number> {
  let gzip: CompressedSink | undefined;
  let count = 0;
  let block = '';
  for await (const line of lines) {
    block += `${line}\n`;
    count++;
    if (block.length < BLOCK_LENGTH) continue;
    gzip ??= new CompressedSink(createGzip(), sink);
    await gzip.write(Buffer.from(block));
    block = '';
  }
  if (gzip) {
    await gzip.write(Buffer.from(block));
    await gzip.end();
  } else await sink.write(await gzipBytes(Buffer.from(block)));
  return count;
}

/** Errors of the source, of zlib and of the decoder are passed on: the caller can name the object. */
export async function* readGzipLines(source: AsyncIterable<Uint8Array>): AsyncGenerator<string> {
  const decoder = new TextDecoder('utf-8', { fatal: true });
  let rest = '';
  for await (const chunk of gunzipped(source)) {
    const lines = (rest + decoder.decode(chunk, { stream: true })).split('\n');
    rest = lines.pop() ?? '';
    yield* lines;
  }
  rest += decoder.decode();
  if (rest !== '') throw new Error('the last line has no line feed');
}

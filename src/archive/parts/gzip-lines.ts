/** Lines of text, gzipped, streaming both ways. */
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { pipeline as connect } from 'node:stream';
import { createGunzip, createGzip } from 'node:zlib';

const BLOCK_LENGTH = 64 * 1024;

interface Sink {
  write(chunk: Uint8Array): Promise<void>;
}

/** Writes a line feed after each line. Returns the number of lines. */
export async function writeGzipLines(
  lines: Iterable<string> | AsyncIterable<string>,
  sink: Sink,
): Promise<number> {
  let count = 0;
  async function* blocks(): AsyncGenerator<string> {
    let block = '';
    for await (const line of lines) {
      block += `${line}\n`;
      count++;
      if (block.length < BLOCK_LENGTH) continue;
      yield block;
      block = '';
    }
    yield block;
  }
  await pipeline(blocks, createGzip(), async (chunks: AsyncIterable<Uint8Array>) => {
    for await (const chunk of chunks) await sink.write(chunk);
  });
  return count;
}

/** Errors of the source, of zlib and of the decoder are passed on: the caller can name the object. */
export async function* readGzipLines(source: AsyncIterable<Uint8Array>): AsyncGenerator<string> {
  const gunzip = createGunzip();
  connect(Readable.from(source, { objectMode: false }), gunzip, () => undefined); // errors come out of gunzip
  const decoder = new TextDecoder('utf-8', { fatal: true });
  let rest = '';
  for await (const chunk of gunzip as AsyncIterable<Uint8Array>) {
    const lines = (rest + decoder.decode(chunk, { stream: true })).split('\n');
    rest = lines.pop() ?? '';
    yield* lines;
  }
  rest += decoder.decode();
  if (rest !== '') throw new Error('the last line has no line feed');
}

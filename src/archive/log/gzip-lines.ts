/** Lines of text, gzipped, streaming both ways. */
import { createGzip } from 'node:zlib';
import { gunzipped } from '../../base/gunzipped.js';
import { gzipBytes } from '../../base/gzip.js';
import { type ByteSink } from '../../formats/format.js';
import { CompressedSink } from '../../formats/compressed-sink.js';

const BLOCK_LENGTH = 64 * 1024;

/** Text that is gzipped as it comes; a short one at once, without the thread pool. */
export class GzipText {
  #gzip: CompressedSink | undefined;
  #block = '';
  readonly #sink: ByteSink;

  constructor(sink: ByteSink) {
    this.#sink = sink;
  }

  async write(text: string): Promise<void> {
    this.#block += text;
    if (this.#block.length < BLOCK_LENGTH) return;
    this.#gzip ??= new CompressedSink(createGzip(), this.#sink);
    const bytes = Buffer.from(this.#block);
    this.#block = '';
    await this.#gzip.write(bytes);
  }

  async end(): Promise<void> {
    const rest = Buffer.from(this.#block);
    if (this.#gzip) {
      await this.#gzip.write(rest);
      await this.#gzip.end();
    } else await this.#sink.write(await gzipBytes(rest));
  }
}

/** Writes a line feed after each line. Returns the number of lines. */
export async function writeGzipLines(
  lines: Iterable<string> | AsyncIterable<string>,
  sink: ByteSink,
): Promise<number> {
  const text = new GzipText(sink);
  let count = 0;
  for await (const line of lines) {
    await text.write(`${line}\n`);
    count++;
  }
  await text.end();
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

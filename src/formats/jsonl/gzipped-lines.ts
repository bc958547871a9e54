/** The lines of a gzipped text, one at a time. */
import { Readable, pipeline } from 'node:stream';
import { createGunzip } from 'node:zlib';
import { messageOf } from '../../base/error.js';
import type { ByteSource } from '../format.js';
import { FormatError } from '../format-error.js';

const NEWLINE = 0x0a;
/** V8's longest string has 2^29 characters; a line near that is damage. */
const MAX_LINE_BYTES = 2 ** 28;

/**
 * The bytes of each line without its end, in batches as they are unpacked.
 *
 * @param maxLineBytes for tests
 * @throws {FormatError} the gzip stream is damaged or cut short, or a line is longer than 256 MiB
 * @throws whatever the source throws, unchanged
 */
export async function* gzippedLines(
  source: ByteSource,
  maxLineBytes = MAX_LINE_BYTES,
): AsyncGenerator<readonly Buffer[]> {
  let begun: Buffer[] = [];
  let begunBytes = 0;
  for await (const chunk of unzipped(source)) {
    const lines: Buffer[] = [];
    let start = 0;
    for (let end = chunk.indexOf(NEWLINE); end >= 0; end = chunk.indexOf(NEWLINE, start)) {
      lines.push(Buffer.concat([...begun, chunk.subarray(start, end)]));
      begun = [];
      begunBytes = 0;
      start = end + 1;
    }
    begun.push(chunk.subarray(start));
    begunBytes += chunk.byteLength - start;
    if (begunBytes > maxLineBytes) {
      throw new FormatError(`A line is longer than ${maxLineBytes} bytes`);
    }
    if (lines.length > 0) yield lines;
  }
  if (begunBytes > 0) yield [Buffer.concat(begun)];
}

async function* unzipped(source: ByteSource): AsyncGenerator<Buffer> {
  let fromSource: { readonly error: unknown } | undefined;
  // Not a `try` around the whole loop: Node throws what gunzip found into this generator, too.
  async function* watched(): AsyncGenerator<Uint8Array> {
    const chunks = source.read()[Symbol.asyncIterator]();
    try {
      for (;;) {
        const next = await chunks.next().catch((error: unknown) => {
          fromSource = { error };
          throw error;
        });
        if (next.done) return;
        yield next.value;
      }
    } finally {
      await chunks.return?.();
    }
  }
  const gunzip = createGunzip({ chunkSize: 64 * 1024 });
  // The iteration below reports every failure; the callback only keeps Node from doing so itself.
  pipeline(Readable.from(watched(), { objectMode: false }), gunzip, () => undefined);
  try {
    for await (const chunk of gunzip) yield chunk as Buffer;
  } catch (cause) {
    if (fromSource) throw fromSource.error;
    throw new FormatError(`The gzip stream is damaged: ${messageOf(cause)}`, { cause });
  }
}

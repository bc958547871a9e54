/** Decompresses a gzip stream. */
import { Readable } from 'node:stream';
import { createGunzip } from 'node:zlib';
import { FEW_BYTES, gunzipFew } from './gzip.js';

/**
 * What the source throws is passed on unchanged. `pipeline` would take four times the CPU for a
 * small object, and an archive has many.
 *
 * @param damaged the error for what zlib cannot decompress; default: zlib's own
 */
export async function* gunzipped(
  source: AsyncIterable<Uint8Array>,
  damaged = (cause: unknown) => cause as Error,
): AsyncGenerator<Buffer> {
  const items = source[Symbol.asyncIterator]();
  const read: Uint8Array[] = [];
  try {
    const isWhole = await readFew(items, read);
    const all = isWhole ? gunzipFew(Buffer.concat(read)) : undefined;
    if (all) yield all;
    // what is damaged, too: its beginning may be read
    else yield* inPieces(following(read, items), damaged);
  } finally {
    await items.return?.();
  }
}

/** Appends to what was read until that is more than a few bytes. @returns whether nothing follows */
async function readFew(items: AsyncIterator<Uint8Array>, read: Uint8Array[]): Promise<boolean> {
  let bytes = 0;
  while (bytes <= FEW_BYTES) {
    const next = await items.next();
    if (next.done === true) return true;
    read.push(next.value);
    bytes += next.value.byteLength;
  }
  return false;
}

async function* following(
  read: readonly Uint8Array[],
  items: AsyncIterator<Uint8Array>,
): AsyncGenerator<Uint8Array> {
  yield* read;
  yield* { [Symbol.asyncIterator]: () => items };
}

async function* inPieces(
  source: AsyncIterable<Uint8Array>,
  damaged: (cause: unknown) => Error,
): AsyncGenerator<Buffer> {
  let fromSource: { readonly error: unknown } | undefined;
  const gunzip = createGunzip({ chunkSize: 64 * 1024 });
  const packed = Readable.from(source, { objectMode: false }).on('error', (error) => {
    fromSource = { error };
    gunzip.destroy(error);
  });
  try {
    for await (const chunk of packed.pipe(gunzip)) yield chunk as Buffer;
  } catch (cause) {
    throw fromSource ? fromSource.error : damaged(cause);
  } finally {
    packed.destroy();
  }
}

/** Reads an iterable to its end for its side effects, and closes it in any case. */
export async function readToEnd(
  items: AsyncIterable<unknown>,
  signal?: AbortSignal,
): Promise<void> {
  const iterator = items[Symbol.asyncIterator]();
  try {
    while ((await iterator.next()).done !== true) signal?.throwIfAborted();
  } finally {
    await iterator.return?.();
  }
}

/** Decompresses a gzip stream. */
import { Readable } from 'node:stream';
import { createGunzip } from 'node:zlib';

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

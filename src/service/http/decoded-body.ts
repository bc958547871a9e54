/** Decompresses a body as a stream, up to a limit of decompressed bytes, so that memory is bounded. */
import { decoded } from '../../base/decompressed.js';
import type { Readable } from 'node:stream';

type DecodedBody =
  | { readonly outcome: 'whole'; readonly bytes: Buffer }
  | { readonly outcome: 'too large' }
  | { readonly outcome: 'unknown encoding' };

/**
 * @param encoding the Content-Encoding header
 * @param maxBytes limit of the decompressed body
 * @throws what the connection or zlib throws
 */
export async function decodeBody(
  body: Readable,
  encoding: string,
  maxBytes: number,
): Promise<DecodedBody> {
  body.on('error', ignore); // undici reports a destroyed body as an error; the loop below sees real ones
  const unpacked = decoded(body, encoding);
  if (typeof unpacked === 'string') {
    discard(body);
    return { outcome: 'unknown encoding' };
  }
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of unpacked) {
    bytes += chunk.byteLength;
    if (bytes > maxBytes) return { outcome: 'too large' }; // leaving the loop destroys the streams
    chunks.push(chunk);
  }
  return { outcome: 'whole', bytes: Buffer.concat(chunks, bytes) };
}

/** Ends a body that will not be read, and its connection. */
export function discard(body: Readable): void {
  body.on('error', ignore);
  body.destroy();
}

function ignore(): void {
  // said by the name
}

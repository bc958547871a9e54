/** Decompresses streams: a Content-Encoding, in one table for the service's answers and for files, and gzip. */
import { pipeline, type Transform } from 'node:stream';
import { createBrotliDecompress, createGunzip, createInflate, type Zlib } from 'node:zlib';

type Decoder = Transform & Zlib;

const DECODERS: ReadonlyMap<string, () => Decoder> = new Map([
  ['gzip', createGunzip],
  ['x-gzip', createGunzip],
  ['deflate', createInflate],
  ['br', createBrotliDecompress],
]);
/**
 * `aws-chunked` says how an object was uploaded, not how it is sent. Uploaders put the names of charsets and of
 * transfer encodings where browsers, which ignore them, show the file all the same.
 */
const NO_ENCODING: ReadonlySet<string> = new Set([
  ...['', 'identity', 'aws-chunked', 'none', 'binary', '7bit', '8bit'],
  ...['utf-8', 'utf8', 'us-ascii', 'ascii', 'iso-8859-1', 'windows-1252'],
]);
/** More than one is allowed but rare; a long list is an attack, because each takes memory. */
const MAX_ENCODINGS = 2;

/** The `Accept-Encoding` that this table supports. */
export const ACCEPTED_ENCODINGS = 'gzip, deflate, br';

/**
 * The decoded body; or the part of the header that is not supported: the name of an encoding, or a list that
 * is too long. Bytes that do not match the header, end
 * too early, or go on after the end of the format fail whoever reads what is returned.
 *
 * @param contentEncoding the header as received: names in the order in which they were applied
 */
export function decoded(
  body: AsyncIterable<Uint8Array>,
  contentEncoding: string,
): AsyncIterable<Uint8Array> | string {
  const names = contentEncoding
    .split(',')
    .map((name) => name.trim().toLowerCase())
    .filter((name) => !NO_ENCODING.has(name))
    .reverse();
  if (names.length > MAX_ENCODINGS) return contentEncoding;
  const unknown = names.find((name) => !DECODERS.has(name));
  if (unknown !== undefined) return unknown;
  let stream = body;
  for (const name of names) {
    const decoder = DECODERS.get(name)?.();
    if (decoder) stream = unpacked(stream, decoder);
  }
  return stream;
}

/** Whether the encoding ends by itself: what is decoded without an error is whole. */
export function hasOwnEnd(contentEncoding: string): boolean {
  return contentEncoding.split(',').some((name) => DECODERS.has(name.trim().toLowerCase()));
}

/** Errors of either end reach whoever reads the returned stream: pipeline destroys them all. */
function unpacked(packed: AsyncIterable<Uint8Array>, decoder: Decoder): AsyncIterable<Uint8Array> {
  let bytes = 0;
  return pipeline(
    packed,
    async function* (chunks: AsyncIterable<Uint8Array>) {
      for await (const chunk of chunks) {
        bytes += chunk.length;
        yield chunk;
      }
    },
    decoder,
    async function* (chunks: AsyncIterable<Buffer>) {
      yield* chunks;
      // zlib stops at the end of its format and says nothing of what follows
      if (bytes > decoder.bytesWritten) {
        const message = 'bytes follow the end of the compressed data';
        throw Object.assign(new Error(message), { code: 'Z_DATA_ERROR' });
      }
    },
    () => undefined,
  ) as unknown as AsyncIterable<Uint8Array>;
}

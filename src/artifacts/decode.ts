/** Undoes a Content-Encoding that came although none was asked for. */
import { pipeline, type Readable, type Transform } from 'node:stream';
import { createBrotliDecompress, createGunzip, createInflate } from 'node:zlib';

const DECODERS: Readonly<Record<string, () => Transform>> = {
  gzip: createGunzip,
  'x-gzip': createGunzip,
  deflate: createInflate,
  br: createBrotliDecompress,
};
/** `aws-chunked` is how an object was once uploaded, and says nothing of how it comes back. */
const NO_ENCODING = new Set(['', 'identity', 'aws-chunked']);

/**
 * The decoded body, or the name of an encoding that cannot be undone. Bytes that are not what the
 * header says, or end too soon, fail the returned stream.
 *
 * @param contentEncoding the header as it came: names in the order in which they were applied
 */
export function decoded(body: Readable, contentEncoding: string): Readable | string {
  const names = contentEncoding
    .split(',')
    .map((name) => name.trim().toLowerCase())
    .filter((name) => !NO_ENCODING.has(name))
    .reverse();
  const unknown = names.find((name) => !Object.hasOwn(DECODERS, name));
  if (unknown !== undefined) return unknown;
  let stream = body;
  for (const name of names) {
    const decoder = DECODERS[name]?.();
    // Errors of either end reach whoever reads the last stream: pipeline destroys them all.
    if (decoder) stream = pipeline(stream, decoder, () => undefined);
  }
  return stream;
}

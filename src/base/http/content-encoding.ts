/** Undoes a Content-Encoding while the body streams: one table for the service's answers and for files. */
import { pipeline, type Readable, type Transform } from 'node:stream';
import { createBrotliDecompress, createGunzip, createInflate } from 'node:zlib';

const DECODERS: ReadonlyMap<string, () => Transform> = new Map([
  ['gzip', createGunzip],
  ['x-gzip', createGunzip],
  ['deflate', createInflate],
  ['br', createBrotliDecompress],
]);
/** `aws-chunked` is how an object was once uploaded, and says nothing of how it comes back. */
const NO_ENCODING: ReadonlySet<string> = new Set(['', 'identity', 'aws-chunked']);
/** More than one is legal and rare; a long list is an attack: each takes memory of its own. */
const MAX_ENCODINGS = 2;

/** The `Accept-Encoding` that this table can keep. */
export const ACCEPTED_ENCODINGS = 'gzip, deflate, br';

/**
 * The decoded body, or what of the header cannot be undone: an encoding's name, or the whole list where
 * it is too long. Bytes that are not what the header says, or end too soon, fail the returned stream.
 *
 * @param contentEncoding the header as it came: names in the order in which they were applied
 */
export function decoded(body: Readable, contentEncoding: string): Readable | string {
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
    // Errors of either end reach whoever reads the last stream: pipeline destroys them all.
    if (decoder) stream = pipeline(stream, decoder, () => undefined);
  }
  return stream;
}

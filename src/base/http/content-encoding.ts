/** Undoes a Content-Encoding while the body streams: one table for the service's answers and for files. */
import { pipeline, type Readable, type Transform } from 'node:stream';
import { createBrotliDecompress, createGunzip, createInflate } from 'node:zlib';

const DECODERS: ReadonlyMap<string, () => Transform> = new Map([
  ['gzip', createGunzip],
  ['x-gzip', createGunzip],
  ['deflate', createInflate],
  ['br', createBrotliDecompress],
]);
/** `aws-chunked` says how an object was uploaded, not how it is sent. */
const NO_ENCODING: ReadonlySet<string> = new Set(['', 'identity', 'aws-chunked']);
/** More than one is allowed but rare; a long list is an attack, because each takes memory. */
const MAX_ENCODINGS = 2;

/** The `Accept-Encoding` that this table supports. */
export const ACCEPTED_ENCODINGS = 'gzip, deflate, br';

/**
 * The decoded body; or the part of the header that is not supported: the name of an encoding, or a list that
 * is too long. Bytes that do not match the header, or end too early, fail the returned stream.
 *
 * @param contentEncoding the header as received: names in the order in which they were applied
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

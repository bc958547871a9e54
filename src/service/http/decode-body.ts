/** Unpacks a body as it streams and stops at a cap on the unpacked bytes, so that memory stays flat. */
import { pipeline, type Readable, type Transform } from 'node:stream';
import { createBrotliDecompress, createGunzip, createInflate } from 'node:zlib';

const DECODERS: ReadonlyMap<string, () => Transform> = new Map([
  ['gzip', createGunzip],
  ['x-gzip', createGunzip],
  ['deflate', createInflate],
  ['br', createBrotliDecompress],
]);
/** More than one coding is legal and rare; a long list is an attack. */
const MOST_CODINGS = 2;

/** The `Accept-Encoding` that this file can keep. */
export const ACCEPTED_ENCODINGS = 'gzip, deflate, br';

export type DecodedBody =
  | { readonly outcome: 'whole'; readonly bytes: Buffer }
  | { readonly outcome: 'too large' }
  | { readonly outcome: 'unknown encoding' };

/**
 * @param encoding the Content-Encoding header
 * @param maxBytes of the unpacked body
 * @throws what the connection or zlib throws
 */
export async function decodeBody(
  body: Readable,
  encoding: string,
  maxBytes: number,
): Promise<DecodedBody> {
  const decoders = decodersOf(encoding);
  if (!decoders) {
    discard(body);
    return { outcome: 'unknown encoding' };
  }
  body.on('error', ignore); // undici reports a destroyed body as an error; the loop below sees real ones
  const unpacked = decoders.reduce<Readable>(
    (packed, decoder) => pipeline(packed, decoder(), ignore),
    body,
  );
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of unpacked as AsyncIterable<Buffer>) {
    bytes += chunk.byteLength;
    if (bytes > maxBytes) return { outcome: 'too large' }; // leaving the loop destroys the streams
    chunks.push(chunk);
  }
  return { outcome: 'whole', bytes: Buffer.concat(chunks, bytes) };
}

/** Ends a body that nobody will read, and its connection with it. */
export function discard(body: Readable): void {
  body.on('error', ignore);
  body.destroy();
}

/** In the order in which the codings must be undone, or `undefined` when one of them is unknown. */
function decodersOf(encoding: string): (() => Transform)[] | undefined {
  const codings = encoding
    .toLowerCase()
    .split(',')
    .map((coding) => coding.trim())
    .filter((coding) => coding !== '' && coding !== 'identity');
  const decoders = codings.flatMap((coding) => DECODERS.get(coding) ?? []);
  if (decoders.length !== codings.length || codings.length > MOST_CODINGS) return undefined;
  return decoders.reverse();
}

function ignore(): void {
  // said by the name
}

/** Reads a range of a source into one array. */
import { type ByteSource, FormatError } from '../format.js';

/**
 * The bytes from `start` (inclusive) to `end` (exclusive), in their own buffer.
 *
 * @throws {FormatError} the source ends before `end`
 */
export async function readRange(
  source: ByteSource,
  start: number,
  end: number,
): Promise<Uint8Array<ArrayBuffer>> {
  const bytes = new Uint8Array(end - start);
  let filled = 0;
  for await (const piece of readPieces(source, start, end)) {
    bytes.set(piece, filled);
    filled += piece.byteLength;
  }
  return bytes;
}

/** The same, piece by piece. */
export async function* readPieces(
  source: ByteSource,
  start: number,
  end: number,
): AsyncGenerator<Uint8Array> {
  let at = start;
  for await (const piece of source.read({ start, end })) {
    at += piece.byteLength;
    if (at > end) {
      throw new FormatError(`The source sent more than the ${end - start} requested bytes`);
    }
    yield piece;
  }
  if (at < end) throw new FormatError(`The file ends after ${at} of ${source.bytes} bytes`);
}

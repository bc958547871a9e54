/** Reads a range of a source into one array. */
import type { ByteSource } from './format.js';
import { FormatError } from './format-error.js';

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
  for await (const chunk of source.read({ start, end })) {
    if (filled + chunk.byteLength > bytes.byteLength) {
      throw new FormatError(`The source sent more than the ${bytes.byteLength} requested bytes`);
    }
    bytes.set(chunk, filled);
    filled += chunk.byteLength;
  }
  if (filled < bytes.byteLength) {
    throw new FormatError(`The file ends after ${start + filled} of ${source.bytes} bytes`);
  }
  return bytes;
}

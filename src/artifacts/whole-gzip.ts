/** Checks whether bytes are a gzip file that ends where its format says. */
import { decoded } from '../base/decompressed.js';

/** @param maxBytes limit of the decompressed bytes; more are not looked at, so that the answer is no */
export async function isWholeGzip(
  source: AsyncIterable<Uint8Array>,
  maxBytes: number,
): Promise<boolean> {
  const unpacked = decoded(source, 'gzip') as AsyncIterable<Uint8Array>;
  let bytes = 0;
  try {
    for await (const chunk of unpacked) {
      bytes += chunk.length;
      if (bytes > maxBytes) return false;
    }
    return true;
  } catch {
    return false;
  }
}

/**
 * Gzip of what is in memory whole. The few bytes of most objects are packed and unpacked at once: to hand them to the
 * thread pool would take ten times the CPU.
 */
import { promisify } from 'node:util';
import { gunzip, gunzipSync, gzip, gzipSync } from 'node:zlib';

/** Packed and not packed; takes less than a millisecond. */
export const FEW_BYTES = 64 * 1024;

const inThePool = { gunzip: promisify(gunzip), gzip: promisify(gzip) };

export async function gzipBytes(bytes: Uint8Array): Promise<Buffer> {
  return bytes.byteLength <= FEW_BYTES ? gzipSync(bytes) : inThePool.gzip(bytes);
}

/** @throws what zlib throws */
export async function gunzipBytes(bytes: Uint8Array): Promise<Buffer> {
  return gunzipFew(bytes) ?? inThePool.gunzip(bytes);
}

/** Undefined for more than a few bytes, for what becomes more than that, and for what is damaged. */
export function gunzipFew(bytes: Uint8Array): Buffer | undefined {
  if (bytes.byteLength > FEW_BYTES) return undefined;
  try {
    return gunzipSync(bytes, { maxOutputLength: FEW_BYTES });
  } catch {
    return undefined;
  }
}

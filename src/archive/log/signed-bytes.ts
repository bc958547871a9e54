/** The bytes that a commit's signature covers: canonical JSON without signature and digest. */
import { canonicalJson } from '../../base/text/canonical-json.js';
import type { Commit } from './commit.js';

export function signedBytesOf(commit: Omit<Commit, 'signature' | 'digest'>): Uint8Array {
  return Buffer.from(canonicalJson({ ...commit, signature: undefined, digest: undefined }));
}

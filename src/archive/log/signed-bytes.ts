/** What a commit's signature is made of: canonical JSON of everything but signature and digest. */
import { canonicalJson } from '../../base/canonical-json.js';
import type { Commit } from './commit.js';

export function signedBytesOf(commit: Omit<Commit, 'signature' | 'digest'>): Uint8Array {
  return Buffer.from(canonicalJson({ ...commit, signature: undefined, digest: undefined }));
}

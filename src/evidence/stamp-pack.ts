/** Time stamps of authorities over a pack: over the manifest of its manifests, and through it over every byte. */
import type { Archive } from '../archive/archive.js';
import { sha256Hex } from '../base/digest.js';
import { messageOf } from '../base/error.js';
import type { ProxySettings } from '../base/http/proxy.js';
import type { Storage } from '../storage/storage.js';
import { askAuthority } from '../timestamp/ask-authority.js';
import { TAG_MANIFEST } from './bag.js';

export interface PackStamping {
  readonly archive: Pick<Archive, 'random' | 'logger'>;
  /** Time-stamp authorities (RFC 3161); each learns one digest. Default: none. */
  readonly timestampUrls?: readonly URL[] | undefined;
  /** Default: authorities are reached directly. */
  readonly proxy?: ProxySettings | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** The name of the nth token, from 1, beside the manifests. */
function stampName(nth: number): string {
  return `timestamp-${nth}.tsr`;
}

/** @returns how many tokens the pack has; an authority that cannot be asked is a warning */
export async function stampPack(
  target: Storage,
  { archive, timestampUrls: urls = [], proxy, signal }: PackStamping,
): Promise<number> {
  if (urls.length === 0) return 0;
  const sha256 = sha256Hex(await target.get(TAG_MANIFEST));
  let stamped = 0;
  for (const url of urls) {
    try {
      const { bytes } = await askAuthority(sha256, { url, proxy, random: archive.random, signal });
      await target.put(stampName(stamped + 1), bytes);
      stamped++;
    } catch (error) {
      signal?.throwIfAborted();
      archive.logger.warn(
        { authority: url.host },
        `the pack has no time stamp of ${url.host}: ${messageOf(error)}`,
      );
    }
  }
  return stamped;
}

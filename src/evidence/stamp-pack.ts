/** Time stamps of authorities over a pack: over the manifest of its manifests, and through it over every byte. */
import { sha256Hex } from '../base/digest.js';
import { messageOf } from '../base/error.js';
import type { ProxySettings } from '../base/http/proxy.js';
import { silentLogger, type Logger } from '../base/logger.js';
import { systemRandom, type Random } from '../base/runtime.js';
import type { Storage } from '../storage/storage.js';
import { askAuthority } from '../timestamp/ask-authority.js';
import { TAG_MANIFEST } from './bag.js';

export interface PackStamping {
  /** Time-stamp authorities (RFC 3161); each learns one digest. Default: none. */
  readonly timestampUrls?: readonly URL[] | undefined;
  /** Default: authorities are reached directly. */
  readonly proxy?: ProxySettings | undefined;
  /** Default: the machine's. */
  readonly random?: Random | undefined;
  /** Told of authorities that cannot be asked. Default: nobody is told. */
  readonly logger?: Logger | undefined;
}

/** The name of the nth token, from 1, beside the manifests. */
function stampName(nth: number): string {
  return `timestamp-${nth}.tsr`;
}

/** @returns how many tokens the pack has; an authority that cannot be asked is a warning */
export async function stampPack(
  target: Storage,
  { timestampUrls: urls = [], proxy, random = systemRandom, logger = silentLogger }: PackStamping,
  signal?: AbortSignal,
): Promise<number> {
  if (urls.length === 0) return 0;
  const sha256 = sha256Hex(await target.get(TAG_MANIFEST));
  let stamped = 0;
  for (const url of urls) {
    try {
      const { bytes } = await askAuthority(sha256, { url, proxy, random, signal });
      await target.put(stampName(stamped + 1), bytes);
      stamped++;
    } catch (error) {
      signal?.throwIfAborted();
      logger.warn(
        { authority: url.host },
        `the pack has no time stamp of ${url.host}: ${messageOf(error)}`,
      );
    }
  }
  return stamped;
}

/** Time-stamp tokens beside the log: one for a commit and an authority, over the digest of the commit. */
import { messageOf } from '../../base/error.js';
import { sha256Hex } from '../../base/digest.js';
import type { ProxySettings } from '../../base/http/proxy.js';
import { askAuthority } from '../../timestamp/ask-authority.js';
import type { Archive } from '../archive.js';
import { timestampPath } from '../paths.js';

export interface StampingOptions {
  /** The addresses of time-stamp authorities (RFC 3161). */
  readonly urls: readonly URL[];
  readonly proxy?: ProxySettings | undefined;
  readonly signal: AbortSignal;
}

/** An address without what may be secret in it: it names the authority in the token's path. */
export function authorityId({ origin, pathname }: URL): string {
  return sha256Hex(`${origin}${pathname}`);
}

/**
 * Has each authority stamp the newest commit, unless it has done so already: with it, all commits before are stamped. An
 * authority that cannot be asked is a warning; the next run asks it for its own newest commit.
 */
export async function stampNewestCommit(
  { log, storage, random, logger }: Archive,
  { urls, proxy, signal }: StampingOptions,
): Promise<void> {
  if (urls.length === 0) return;
  const head = await log.head();
  if (!head) return;
  const isStopped = (): boolean => signal.aborted;
  for (const url of urls) {
    if (isStopped()) return;
    const path = timestampPath(head.number, authorityId(url));
    try {
      if (await storage.stat(path)) continue;
      const { bytes } = await askAuthority(head.digest, { url, proxy, random, signal });
      await storage.putIfAbsent(path, bytes);
    } catch (error) {
      if (isStopped()) return;
      logger.warn(
        { commit: head.number, authority: url.host },
        `commit ${head.number} has no time stamp: ${messageOf(error)}; the next run asks again`,
      );
    }
  }
}

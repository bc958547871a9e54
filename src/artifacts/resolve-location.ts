/** Turns a file location from the service into a URL. A bare storage key only chooses a path below the configured base, never a host. */
import type { LostFile } from './artifact-fetcher.js';

export type ResolvedLocation = { readonly url: URL } | { readonly lost: LostFile };

const SCHEME = /^([a-z][a-z0-9+.-]*):\/\//i;
const SCHEME_WITHOUT_HOST = /^(about|blob|data|file|ftp|javascript|mailto):/i;

/**
 * A URL is used as it is. A bare storage key is appended to `storageBaseUrl`, each segment
 * percent-encoded: `unresolved` without a base, `rejected` if the key would leave it.
 */
export function resolveLocation(sent: string, storageBaseUrl: URL | undefined): ResolvedLocation {
  const text = sent.trim();
  const scheme = (SCHEME.exec(text) ?? SCHEME_WITHOUT_HOST.exec(text))?.[1]?.toLowerCase();
  if (scheme === 'http' || scheme === 'https') {
    const url = URL.canParse(text) ? new URL(text) : undefined;
    return url ? { url } : rejected('the URL cannot be parsed');
  }
  if (scheme !== undefined) {
    return lost('not_fetched', `only http and https are fetched, not ${scheme}:`);
  }
  if (storageBaseUrl === undefined) {
    return lost(
      'unresolved',
      'the service gave only a path of the file, no web address, and --storage-base-url is not set',
    );
  }
  return belowBase(text, storageBaseUrl);
}

function belowBase(key: string, base: URL): ResolvedLocation {
  const segments = key.split('/');
  if (segments.some((segment) => segment === '' || segment === '.' || segment === '..')) {
    return rejected('the path of the file has an empty, "." or ".." part');
  }
  if (!key.isWellFormed()) return rejected('the path of the file is not valid Unicode');
  const url = new URL(base);
  const path = segments.map((segment) => encodeURIComponent(segment)).join('/');
  url.pathname = `${base.pathname.replace(/\/+$/, '')}/${path}`;
  return { url };
}

function rejected(reason: string): ResolvedLocation {
  return lost('rejected', reason);
}

function lost(status: LostFile['status'], reason: string): ResolvedLocation {
  return { lost: { status, reason } };
}

/** Checks and normalises the address of a service: an archive is recognised by it. */
import { shownAddress } from '../text/address.js';
import { UsageError } from '../error.js';

const ALLOWED = 'allowed is http:// or https://, a host, and perhaps a port and a path';

/**
 * Where requests go. `/v2/team` at the end, as other clients expect it, is left out.
 *
 * @throws {UsageError} it is not an http or https URL, or it has credentials, a query or a fragment
 */
export function checkBaseUrl(baseUrl: string): {
  readonly origin: string;
  /** What is added before every path; without a slash at its end. */
  readonly prefix: string;
} {
  const { origin, prefix, isPlain } = parseBaseUrl(baseUrl);
  if (isPlain) return { origin, prefix };
  throw new UsageError(`the base URL ${shownAddress(baseUrl)} cannot be used; ${ALLOWED}`);
}

/**
 * As archives record it: scheme and host in lower case; no default port, credentials, query, fragment,
 * `/v2/team` or slash at the end.
 *
 * @throws {UsageError} it is not an http or https URL
 */
export function normaliseBaseUrl(baseUrl: string): string {
  const { origin, prefix } = parseBaseUrl(baseUrl);
  return `${origin}${prefix}`;
}

function parseBaseUrl(baseUrl: string) {
  const url = URL.canParse(baseUrl) ? new URL(baseUrl) : undefined;
  if (!url || !/^https?:$/.test(url.protocol)) {
    throw new UsageError(
      `the base URL must be an http or https URL, not "${shownAddress(baseUrl)}"; ${ALLOWED}`,
    );
  }
  const { search, hash, username, password } = url;
  return {
    origin: url.origin,
    prefix: url.pathname.replace(/\/+$/, '').replace(/(\/+v2\/team)?\/*$/, ''),
    isPlain: [search, hash, username, password].every((part) => part === ''),
  };
}

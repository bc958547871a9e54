/** The address of a service: one spelling for each, so that an archive is recognised as its own. */
import { redactUrl } from '../text/redact.js';
import { UsageError } from '../usage-error.js';

const ALLOWED = 'allowed is http:// or https://, a host, and perhaps a port and a path';

/**
 * Where requests go. A path that ends in `/v2/team`, as other clients take it, means what stands before.
 *
 * @throws {UsageError} no http or https URL, or one that holds more than a place
 */
export function checkBaseUrl(baseUrl: string): {
  readonly origin: string;
  /** What is added before every path; without a slash at its end. */
  readonly prefix: string;
} {
  const { origin, prefix, isPlain } = parseBaseUrl(baseUrl);
  if (isPlain) return { origin, prefix };
  throw new UsageError(`the base URL ${redactUrl(baseUrl)} cannot be used; ${ALLOWED}`);
}

/**
 * As archives record it: scheme and host in lower case; no default port, credentials, query, fragment,
 * `/v2/team` or slash at the end.
 *
 * @throws {UsageError} it is no http or https URL
 */
export function normaliseBaseUrl(baseUrl: string): string {
  const { origin, prefix } = parseBaseUrl(baseUrl);
  return `${origin}${prefix}`;
}

function parseBaseUrl(baseUrl: string) {
  const url = URL.canParse(baseUrl) ? new URL(baseUrl) : undefined;
  if (!url || !/^https?:$/.test(url.protocol)) {
    throw new UsageError(
      `the base URL must be an http or https URL, not "${redactUrl(baseUrl)}"; ${ALLOWED}`,
    );
  }
  const { search, hash, username, password } = url;
  return {
    origin: url.origin,
    prefix: url.pathname.replace(/\/+$/, '').replace(/(\/+v2\/team)?\/*$/, ''),
    isPlain: [search, hash, username, password].every((part) => part === ''),
  };
}

/** One spelling for each service, so that an archive is recognised as its own. */
import { redactUrl } from '../base/redact.js';
import { UsageError } from '../base/usage-error.js';

/**
 * Scheme and host in lower case; no default port, credentials, query, fragment or slash at the end.
 *
 * @throws {UsageError} it is no http or https URL
 */
export function normaliseBaseUrl(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (!url || !/^https?:$/.test(url.protocol)) {
    throw new UsageError(`the base URL must be an http or https URL, not "${redactUrl(text)}"`);
  }
  return `${url.protocol}//${url.host}${url.pathname.replace(/\/+$/, '')}`;
}

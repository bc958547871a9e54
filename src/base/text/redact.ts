/** Removes secrets from logs, errors and what is said of settings: stricter than texts of the archive, which `model/url-secrets.ts` masks. */
import { maskSignatures } from './mask-signatures.js';
import { withoutSpellings } from './secret-spellings.js';

// the scheme is bounded: without that, long runs such as `a.a.a.` would take quadratic time
const URL_IN_TEXT = /\b([a-z][a-z0-9+.-]{0,30}:\/\/)([^\s"'<>?#]*)([?#][^\s"'<>]*)?/gi;
/** A scheme without a host: parsers of URLs take the slashes for granted, and what follows for user and password. */
const WITHOUT_SLASHES = /\b(https?|rediss?|s3|wss?|ftp):\/?(?=[^\s/"'<>])[^\s"'<>]{0,2048}@/gi;
/** A host with neither credentials nor a port behind its colon: user and password, cut off at a `/`, `?` or `#`. */
const NO_PORT = /^[^/:@[]*:(?!\d{0,5}(?:[^\w@%]|$))[^/@]*(?:\/|$)/;

/**
 * Shorter ones are parts of ordinary words: masking them would garble sentences and show where they occur. An
 * API key is longer (`checkApiKey`), and passwords in URLs are removed by their position.
 */
const SHORTEST_SECRET = 4;

/** Every URL inside a text loses its credentials, query and fragment; `secrets` and signatures become `***`. */
export function redactText(text: string, secrets: readonly string[] = []): string {
  const withoutQueries = maskSignatures(text)
    .replace(URL_IN_TEXT, (_match, scheme: string, rest: string, tail: string | undefined) =>
      NO_PORT.test(rest) ? `${scheme}…` : scheme + rest.replace(/^[^/]*@/, '') + (tail ? '?…' : ''),
    )
    .replace(WITHOUT_SLASHES, '$1:***@');
  return withoutSpellings(
    withoutQueries,
    secrets.filter((secret) => secret.length >= SHORTEST_SECRET),
  );
}

/** Removes secrets from texts: credentials, and the queries of URLs, which contain signatures. */
import { maskSignatures } from './signature-values.js';

// the scheme is bounded: without that, long runs such as `a.a.a.` would take quadratic time
const URL_IN_TEXT = /\b([a-z][a-z0-9+.-]{0,30}:\/\/)([^\s"'<>?#]*)([?#][^\s"'<>]*)?/gi;
const CREDENTIALS = /^([a-z][a-z0-9+.-]*:\/\/)[^/]*@/i;

/**
 * Shorter ones are parts of ordinary words: masking them would garble sentences and show where they occur. An
 * API key is longer (`checkApiKey`), and passwords in URLs are removed by their position.
 */
const SHORTEST_SECRET = 4;

/** A URL without credentials, query and fragment; any other text unchanged. */
export function redactUrl(url: string): string {
  return redactText(url.replace(/[?#][\s\S]*/, '').replace(CREDENTIALS, '$1'));
}

/** Every URL inside a text loses its credentials, query and fragment; `secrets` and signatures become `***`. */
export function redactText(text: string, secrets: readonly string[] = []): string {
  const withoutQueries = maskSignatures(text).replace(
    URL_IN_TEXT,
    (_match, scheme: string, rest: string, tail: string | undefined) =>
      scheme + rest.replace(/^[^/]*@/, '') + (tail ? '?…' : ''),
  );
  return secrets
    .filter((secret) => secret.length >= SHORTEST_SECRET)
    .flatMap(spellings)
    .sort((a, b) => b.length - a.length) // longest first: a secret may begin with another one
    .reduce((redacted, secret) => redacted.replaceAll(secret, '***'), withoutQueries);
}

/** As it is, as in JSON, and as in a URL. */
function spellings(secret: string): string[] {
  const plain = secret.toWellFormed();
  return [secret, JSON.stringify(secret).slice(1, -1), encodeURIComponent(plain)];
}

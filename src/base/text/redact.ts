/** Takes out of a text what must never be seen: URL queries, which hold signatures, and credentials. */
import { maskSignatures } from './signature-values.js';

// the scheme is bounded: without that, long runs such as `a.a.a.` would take quadratic time
const URL_IN_TEXT = /\b([a-z][a-z0-9+.-]{0,30}:\/\/)([^\s"'<>?#]*)([?#][^\s"'<>]*)?/gi;
const CREDENTIALS = /^([a-z][a-z0-9+.-]*:\/\/)[^/]*@/i;

/**
 * Shorter ones stand in every other word: to blank them out would garble each sentence, and tell more of them
 * than it hides. An API key is longer (`checkApiKey`), and passwords in URLs are taken out with their place.
 */
const SHORTEST_SECRET = 4;

/** A URL without credentials, query and fragment; everything else as it came. */
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
    .sort((a, b) => b.length - a.length) // one that begins with another must not leave its end behind
    .reduce((redacted, secret) => redacted.replaceAll(secret, '***'), withoutQueries);
}

/** As it is, as JSON has it, as a URL has it. */
function spellings(secret: string): string[] {
  const plain = secret.toWellFormed();
  return [secret, JSON.stringify(secret).slice(1, -1), encodeURIComponent(plain)];
}

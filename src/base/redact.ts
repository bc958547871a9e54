/** Takes out of a text what must never be seen: URL queries, which hold signatures, and credentials. */

const URL_IN_TEXT = /\b([a-z][a-z0-9+.-]*:\/\/)([^\s"'<>?#]*)([?#][^\s"'<>]*)?/gi;

/** A URL without credentials, query and fragment. What does not parse is cut at the first `?` or `#`. */
export function redactUrl(url: string): string {
  return redactText(url.replace(/[?#][\s\S]*$/, ''));
}

/** Every URL inside a text loses its credentials, query and fragment; `secrets` become `***`. */
export function redactText(text: string, secrets: readonly string[] = []): string {
  const withoutQueries = text.replace(
    URL_IN_TEXT,
    (_match, scheme: string, rest: string, tail: string | undefined) => {
      const at = rest.split('/', 1)[0]?.lastIndexOf('@') ?? -1;
      return scheme + (at >= 0 ? rest.slice(at + 1) : rest) + (tail ? '?…' : '');
    },
  );
  return secrets
    .filter((secret) => secret.length > 0)
    .reduce((redacted, secret) => redacted.replaceAll(secret, '***'), withoutQueries);
}

/** Removes the secrets of URLs from texts. */
import { maskSignatures } from '../base/text/signature-values.js';
import { parametersOf, withoutSignature } from './presigning.js';
import { withoutFileSecrets, endOfUrl } from './shown-url.js';

/**
 * A URL up to its query. The path may contain anything, also another link. It is bounded: otherwise a text of
 * many `https://` would take quadratic time.
 */
const UP_TO_QUERY = /\bhttps?:\/\/[^\s"'<>?#]{0,4096}\?/gi;

/** User and password of a URL, also where JSON has escaped its slashes. */
const CREDENTIALS = /\b(https?:\\{0,8}\/\\{0,8}\/)[^\s"'<>/?#\\]{1,1024}@/gi;

/**
 * The text without the secrets in its URLs: signatures, credentials, user and password; of images also all other
 * values of parameters. All else stays verbatim.
 */
export function withoutSecrets(text: string): string {
  const shown = withoutFileSecrets(text);
  const plain = shown.includes('@') ? shown.replace(CREDENTIALS, '$1') : shown;
  return maskSignatures(plain.includes('?') ? withUnsignedUrls(plain) : plain);
}

function withUnsignedUrls(text: string): string {
  const pieces: string[] = [];
  let done = 0;
  UP_TO_QUERY.lastIndex = 0;
  for (let match = UP_TO_QUERY.exec(text); match; match = UP_TO_QUERY.exec(text)) {
    const end = endOfUrl(text, UP_TO_QUERY.lastIndex - 1);
    pieces.push(text.slice(done, match.index), unsignedUrl(text.slice(match.index, end)));
    done = end;
    UP_TO_QUERY.lastIndex = end;
  }
  return pieces.join('') + text.slice(done);
}

/** The URL without its signature; verbatim, fragment included, if it has none. */
function unsignedUrl(url: string): string {
  const hash = url.indexOf('#');
  const end = hash < 0 ? url.length : hash;
  const mark = url.indexOf('?');
  const parameters = parametersOf(url.slice(mark + 1, end));
  const kept = withoutSignature(parameters);
  if (kept.length === parameters.length) return url;
  const query = kept.map(({ raw }) => raw).join('&');
  return url.slice(0, mark) + (query === '' ? '' : `?${query}`) + url.slice(end);
}

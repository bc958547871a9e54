/** Removes the signatures of presigned URLs from texts. */
import { maskSignatures } from '../base/text/signature-values.js';
import { parametersOf, withoutSignature } from './presigning.js';

/**
 * The path may contain anything, also another link. The query ends where Markdown, HTML or JSON would end it,
 * but may contain brackets in pairs. The path is bounded: otherwise a text of many `https://` would take
 * quadratic time.
 */
const URL_WITH_QUERY =
  /\bhttps?:\/\/[^\s"'<>?#]{0,4096}\?(?:[^\s"'<>()[\]{}\\^`|]+|\([^\s"'<>()]*\)|\[[^\s"'<>[\]]*\])*/gi;

/** The text without URL signatures: presigned URLs lose theirs, all others stay verbatim. */
export function withoutSecrets(text: string): string {
  const unsigned = text.includes('?') ? text.replace(URL_WITH_QUERY, unsignedUrl) : text;
  return maskSignatures(unsigned);
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

/** What a file's URL says of the file: where it is, what only lets one in, and what may be either. */
import { mayBePresigned, parametersOf, presigningIn, endOfQuery } from './presigning.js';

/** Stands in a masked URL for all parameters of its presigning scheme; no URL and no prose holds it. */
const MASK = '\u0000presigned';

interface UrlParts {
  /** Origin and path. */
  readonly address: string;
  /** Without `?`; undefined where there is none. */
  readonly query: string | undefined;
  /** With `#`; empty where there is none. */
  readonly fragment: string;
}

/** Whether it is fetched as a URL; anything else is a bare storage key, in which `?` and `#` mean nothing. */
export function isWebUrl(text: string): boolean {
  return /^\s*https?:\/\//i.test(text);
}

/** A URL's origin and path, with its fragment: what of a file reference does not change with a read. A bare key stays. */
export function fileAddress(url: string): string {
  if (!isWebUrl(url)) return url;
  const { address, fragment } = partsOf(url);
  return address + fragment;
}

/**
 * The same for two URLs that are known to mean one file: the presigning scheme is masked, everything
 * else stays, in order. The fragment is not sent and counts for nothing.
 */
export function downloadKey(url: string): string {
  if (!isWebUrl(url)) return url;
  const { address, query } = partsOf(url);
  return query === undefined ? address : `${address}?${maskedQuery(query) ?? query}`;
}

export function isPresigned(url: string): boolean {
  if (!isWebUrl(url)) return false;
  const { query } = partsOf(url);
  return query !== undefined && presigningIn(parametersOf(query)) !== undefined;
}

export interface UnknownParameters {
  readonly host: string;
  /** Those that no presigning scheme covers, in order; decoded and in lower case. */
  readonly parameters: readonly { readonly name: string; readonly value: string }[];
  readonly isPresigned: boolean;
}

/** What may tell two files apart, or may not: all that stands in the query beside a presigning scheme. */
export function unknownParameters(url: string): UnknownParameters | undefined {
  if (!isWebUrl(url)) return undefined;
  const { address, query } = partsOf(url);
  const all = parametersOf(query ?? '');
  const presigning = presigningIn(all);
  return {
    host: address.split('/', 3)[2]?.toLowerCase() ?? '',
    parameters: all.filter(({ name }) => presigning?.has(name) !== true),
    isPresigned: presigning !== undefined,
  };
}

/**
 * What of a presigned URL does not change with a read, part by part. Undefined for every text that is
 * not such a URL from its first character to its last: a full stop at the end may be the sentence's.
 */
export function presigningMasked(url: string): readonly string[] | undefined {
  if (!SOLE_URL.test(url) || PUNCTUATION_BEHIND.test(url)) return undefined;
  const { address, query = '', fragment } = partsOf(url);
  const masked = maskedQuery(query);
  return masked === undefined ? undefined : [address, masked, fragment];
}

export interface FoundUrl {
  readonly start: number;
  readonly end: number;
  /** As a client would send it: without HTML's `&amp;`. */
  readonly url: string;
}

/** Nothing but a URL: white space at most in its path. */
const SOLE_URL = /^https?:\/\/[^?#\r\n]*\?\S*$/i;
/**
 * What may be a URL up to its query, and the query: two matches, lest a text of nothing but `https://` take
 * quadratic time. The path may hold anything (two links without a space between are fine: it is kept anyway);
 * the query ends where Markdown, HTML or JSON would end it, but may hold brackets in pairs.
 */
const PATH_OR_QUERY =
  /[^\s"'<>?#]+|\?(?:[^\s"'<>()[\]{}\\^`|]+|\([^\s"'<>()]*\)|\[[^\s"'<>[\]]*\])*/g;
const PUNCTUATION_BEHIND = /[.,;:!?*]+$/;

/** The URLs inside a text that bear a presigning scheme as a whole, in order. */
export function presignedUrlsIn(text: string): FoundUrl[] {
  return candidatesIn(text).flatMap(({ start, url }) => {
    const own = startOfOwnUrl(url);
    const plain = url.slice(own).replaceAll(/&amp;/gi, '&');
    return [{ start: start + own, end: start + url.length, url: plain }];
  });
}

/** The text with every presigning scheme masked, and nothing else changed. */
export function maskedText(text: string): string {
  const pieces: string[] = [];
  let done = 0;
  for (const { start, url } of candidatesIn(text)) {
    const { address, query = '', fragment } = partsOf(url);
    pieces.push(text.slice(done, start), address, '?', maskedQuery(query) ?? query, fragment);
    done = start + url.length;
  }
  return pieces.join('') + text.slice(done);
}

function candidatesIn(text: string): { readonly start: number; readonly url: string }[] {
  if (!mayBePresigned(text)) return [];
  const all = SOLE_URL.test(text) ? [{ start: 0, found: text }] : urlsWithQueryIn(text);
  return all.flatMap(({ start, found }) => {
    const mark = found.indexOf('?') + 1;
    const hash = found.indexOf('#', mark);
    const query = found.slice(mark, hash < 0 ? undefined : hash);
    const end = endOfQuery(query);
    // prose that follows without a space, or the fragment, which ends like any word
    const url = end < query.length ? found.slice(0, mark + end) : found;
    const trimmed = url.replace(PUNCTUATION_BEHIND, '');
    return isPresigned(trimmed) ? [{ start, url: trimmed }] : [];
  });
}

function urlsWithQueryIn(text: string): { readonly start: number; readonly found: string }[] {
  let path = { start: 0, end: 0 };
  return [...text.matchAll(PATH_OR_QUERY)].flatMap(({ index, 0: match }) => {
    const end = index + match.length;
    if (!match.startsWith('?')) {
      path = { start: index, end };
      return [];
    }
    const scheme = path.end === index ? text.slice(path.start, index).search(/https?:\/\//i) : -1;
    const start = path.start + scheme;
    return scheme < 0 ? [] : [{ start, found: text.slice(start, end) }];
  });
}

/** Behind a link that was taken for the path's beginning: `…](https://a/b)[c](https://d/e?…`. */
function startOfOwnUrl(url: string): number {
  const path = url.slice(0, url.indexOf('?'));
  const inner = [...path.matchAll(/[^/=:\w%.-]https?:\/\//gi)].at(-1);
  return inner === undefined ? 0 : inner.index + 1;
}

/** Undefined where no scheme is there as a whole. */
function maskedQuery(query: string): string | undefined {
  const parameters = parametersOf(query);
  const presigning = presigningIn(parameters);
  if (!presigning) return undefined;
  const others = parameters.filter(({ name }) => !presigning.has(name));
  return [...others.map(({ raw }) => raw), MASK].join('&');
}

function partsOf(url: string): UrlParts {
  const hash = url.indexOf('#');
  const beforeFragment = hash < 0 ? url : url.slice(0, hash);
  const mark = beforeFragment.indexOf('?');
  return {
    address: mark < 0 ? beforeFragment : beforeFragment.slice(0, mark),
    query: mark < 0 ? undefined : beforeFragment.slice(mark + 1),
    fragment: hash < 0 ? '' : url.slice(hash),
  };
}

/** Separates what identifies the file in a URL (the address) from what only grants access (the presigning). */
import { mayBePresigned, parametersOf, presigningIn, endOfQuery } from './presigning.js';
import { endOfUrl } from './end-of-url.js';
import { formatByteSize } from '../../base/byte-size.js';

/** Replaces all parameters of the presigning scheme in a masked URL; occurs in no URL and no prose. */
const MASK = '\u0000presigned';

interface UrlParts {
  /** Origin and path. */
  readonly address: string;
  /** Without `?`; undefined without a query. */
  readonly query: string | undefined;
  /** With `#`; empty without a fragment. */
  readonly fragment: string;
}

/** Whether it is an http(s) URL; anything else is a bare storage key, in which `?` and `#` have no meaning. */
export function isWebUrl(text: string): boolean {
  return /^\s*https?:\/\//i.test(text);
}

/** A file that a text contains, with its type and its bytes. */
export const DATA_IN_TEXT =
  /data:([\w.+-]{1,100}\/[\w.+-]{1,100})?(?:;[\w.+=-]{1,100}){0,5};base64,([\w+/%=-]*)/gi;

/** The text without the bytes of pictures: it has a picture's type and size in their place. */
export function withoutData(text: string): string {
  if (!text.includes('base64,')) return text;
  return text.replace(DATA_IN_TEXT, (_url, type: string | undefined, data: string) => {
    return `data:${type ?? ''};base64,…(${formatByteSize((data.length * 3) / 4)})`;
  });
}

/** A URL's origin, path and fragment: the part of a file reference that is the same in every read. A bare key is returned unchanged. */
export function fileAddress(url: string): string {
  if (!isWebUrl(url)) return url;
  const { address, fragment } = partsOf(url);
  return address + fragment;
}

/**
 * Equal for two URLs only if they mean the same file: the presigning scheme is masked, all other parameters
 * stay, in order. The fragment is ignored, because it is not sent.
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
  /** Parameters outside the presigning scheme, in order; decoded and in lower case. */
  readonly parameters: readonly { readonly name: string; readonly value: string }[];
  readonly isPresigned: boolean;
}

/** The parameters outside a presigning scheme: they may or may not distinguish two files. */
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
 * The parts of a presigned URL that are the same in every read. Undefined for every text that is not as a
 * whole such a URL: a full stop at the end may belong to a sentence.
 */
export function presigningMasked(url: string): readonly string[] | undefined {
  if (!SOLE_URL.test(url) || PUNCTUATION.has(url.charAt(url.length - 1))) return undefined;
  const { address, query = '', fragment } = partsOf(url);
  const masked = maskedQuery(query);
  return masked === undefined ? undefined : [address, masked, fragment];
}

export interface FoundUrl {
  readonly start: number;
  readonly end: number;
  /** Without HTML's `&amp;`. */
  readonly url: string;
}

/** The whole text is a URL; white space only in its path. */
const SOLE_URL = /^https?:\/\/[^?#\r\n]*\?\S*$/i;
/** What no path before a query contains; it may contain anything else, also another link. */
const NOT_OF_A_PATH = /[\s"'<>?#]/;
const PUNCTUATION = new Set('.,;:!?*');

/** The URLs in a text that have a complete presigning scheme, in order. */
export function presignedUrlsIn(text: string): FoundUrl[] {
  return candidatesIn(text).flatMap(({ start, url }) => {
    const offset = startOfOwnUrl(url);
    const plain = url.slice(offset).replaceAll(/&amp;/gi, '&');
    return [{ start: start + offset, end: start + url.length, url: plain }];
  });
}

/** The text with every presigning scheme masked. */
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
    // cuts off prose that follows without a space
    const url = end < query.length ? found.slice(0, mark + end) : found;
    const trimmed = withoutPunctuation(url);
    return isPresigned(trimmed) ? [{ start, url: trimmed }] : [];
  });
}

function urlsWithQueryIn(text: string): { readonly start: number; readonly found: string }[] {
  const found: { readonly start: number; readonly found: string }[] = [];
  let from = 0; // what is before it belongs to another URL
  for (let mark = text.indexOf('?'); mark >= 0; mark = text.indexOf('?', from)) {
    let path = mark;
    while (path > from && !NOT_OF_A_PATH.test(text.charAt(path - 1))) path--;
    const scheme = text.slice(path, mark).search(/https?:\/\//i);
    from = endOfUrl(text, mark);
    if (scheme >= 0) found.push({ start: path + scheme, found: text.slice(path + scheme, from) });
  }
  return found;
}

function withoutPunctuation(url: string): string {
  let end = url.length;
  while (PUNCTUATION.has(url.charAt(end - 1))) end--;
  return url.slice(0, end);
}

/** The start of the last link, if the path contains several: `…](https://a/b)[c](https://d/e?…`. */
function startOfOwnUrl(url: string): number {
  const path = url.slice(0, url.indexOf('?'));
  const inner = [...path.matchAll(/[^/=:\w%.-]https?:\/\//gi)].at(-1);
  return inner === undefined ? 0 : inner.index + 1;
}

/** Undefined without a complete scheme. */
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

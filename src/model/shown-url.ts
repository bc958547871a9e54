/** What is shown and archived of a URL that leads to a file: origin, path and the names of its parameters. */
import { nextMatch } from '../base/text/next-match.js';

const MASK = '***';
const START = /https?:\/\//gi;
/** In a text, what ends origin and path. */
const ADDRESS_END = /[\s"'<>?#]/g;
/** User and password, as URLs are parsed: up to the last `@` before the path. */
const CREDENTIALS = /^(\s*[a-z][a-z0-9+.-]*:\/\/)[^/?#\\]*@/i;
/** Of `;name=value`, as it stands in a segment of a path. */
const PATH_VALUE = /(;[^=;/]*=)[^;/]*/g;
/** What may follow a URL in a text without a space. */
const PUNCTUATION = /[)\]}.,;:!*]/;
const MOST_PUNCTUATION = 8;
/** Characters of origin and path in a text. */
const LONGEST_ADDRESS = 4096;
/** Characters of an image's description in Markdown. */
const LONGEST_ALT = 500;

/** Origin and path alone, without the values of its path's parameters; a bare storage key likewise. */
export function shownFileUrl(url: string): string {
  return shownAddress(url.replace(/[?#][\s\S]*/, ''));
}

/** Of each URL, what is recognised of it in texts. */
export function addressesOf(urls: Iterable<string | null>): ReadonlySet<string> {
  const addresses = new Set<string>();
  for (const url of urls)
    if (url !== null && /^\s*https?:\/\//i.test(url)) addresses.add(keyOf(url));
  return addresses;
}

/** A URL, and nothing else, without the values of its parameters. */
export function withoutValues(url: string): string {
  const mark = url.search(/[?#]/);
  if (mark < 0) return shownAddress(url);
  return shownAddress(url.slice(0, mark)) + namesOf(url.slice(mark));
}

const NONE: ReadonlySet<string> = new Set();

/**
 * The text, in which every image, and every URL with one of the addresses, is without the values of its
 * parameters. Any other URL may be content: the address of a page that the text is about.
 */
export function withoutFileSecrets(text: string, addresses = NONE): string {
  if (!text.includes('://')) return text;
  const pieces: string[] = [];
  let done = 0;
  START.lastIndex = 0;
  for (let match = START.exec(text); match; match = START.exec(text)) {
    const start = match.index;
    const end = isImage(text, start)
      ? endOfUrl(text, START.lastIndex - 1)
      : endOfFile(text, start, addresses);
    if (end === undefined) continue;
    pieces.push(text.slice(done, start), withoutValues(text.slice(start, end)));
    done = end;
    START.lastIndex = end;
  }
  return pieces.join('') + text.slice(done);
}

/** Whether Markdown or HTML shows what is there as an image. */
function isImage(text: string, start: number): boolean {
  const before = text.slice(Math.max(0, start - LONGEST_ALT), start);
  if (/\bsrc=["']?$/i.test(before.slice(-6))) return true;
  const bracket = /\]\(<?$/.exec(before.slice(-3));
  return bracket !== null && /!\[[^[\]]*$/.test(before.slice(0, -bracket[0].length));
}

/** Where a URL with one of the addresses ends; undefined for any other. */
function endOfFile(
  text: string,
  start: number,
  addresses: ReadonlySet<string>,
): number | undefined {
  if (addresses.size === 0) return undefined;
  // bounded: otherwise a text of many `https://` would take quadratic time
  const near = text.slice(start, start + LONGEST_ADDRESS);
  const mark = start + nextMatch(ADDRESS_END, near, 0);
  const found = addressIn(text.slice(start, mark), addresses);
  if (found === undefined) return undefined;
  const isBare = start + found.length < mark || !/[?#]/.test(text.charAt(mark));
  return isBare ? start + found.length : endInText(text, mark);
}

/** Without the full stop or comma of a sentence. */
function endInText(text: string, mark: number): number {
  let end = endOfUrl(text, mark);
  while (end > mark && /[.,;:!]/.test(text.charAt(end - 1))) end--;
  return end;
}

/** The address without the punctuation that may follow it; undefined if it is none of these. */
function addressIn(written: string, addresses: ReadonlySet<string>): string | undefined {
  let address = written;
  for (let cut = 0; cut <= MOST_PUNCTUATION; cut++) {
    if (addresses.has(keyOf(address))) return address;
    if (!PUNCTUATION.test(address.charAt(address.length - 1))) return undefined;
    address = address.slice(0, -1);
  }
  return undefined;
}

function keyOf(url: string): string {
  return shownFileUrl(url.trim());
}

function shownAddress(address: string): string {
  return address.replace(CREDENTIALS, '$1').replace(PATH_VALUE, `$1${MASK}`);
}

/** @param rest from the first `?` or `#` on */
function namesOf(rest: string): string {
  const hash = rest.indexOf('#');
  const parts = hash < 0 ? [rest] : [rest.slice(0, hash), rest.slice(hash)];
  return parts
    .filter((part) => part !== '')
    .map((part) => part.charAt(0) + part.slice(1).split('&').map(nameOf).join('&'))
    .join('');
}

function nameOf(parameter: string): string {
  const equals = parameter.indexOf('=');
  if (equals >= 0) return `${parameter.slice(0, equals)}=${MASK}`;
  return parameter === '' ? '' : MASK;
}

/** Finds where a URL ends in a text. */

const PLAIN_END = /[\s"'<>()[\]{}\\^`|]/g;
/** What ends the inside of each bracket, its closing one included. */
const INSIDE: Readonly<Record<string, { readonly end: RegExp; readonly closing: string }>> = {
  '(': { end: /[\s"'<>()]/g, closing: ')' },
  '[': { end: /[\s"'<>[\]]/g, closing: ']' },
};

/**
 * The offset behind the query that begins at a `?`: it ends where Markdown, HTML or JSON would end it, but may
 * contain brackets in pairs.
 */
export function endOfUrl(text: string, mark: number): number {
  let end = mark + 1;
  for (;;) {
    end = nextMatch(PLAIN_END, text, end);
    const inside = INSIDE[text.charAt(end)];
    if (!inside) return end;
    const close = nextMatch(inside.end, text, end + 1);
    if (text[close] !== inside.closing) return end;
    end = close + 1;
  }
}

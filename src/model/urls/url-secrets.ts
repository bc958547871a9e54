/**
 * Masks secrets inside URLs, and nothing outside of one. A URL is `scheme://` and what follows without a space, also as
 * JSON, HTML or another URL spells it. It loses user and password, a presigning scheme, and the values of parameters
 * that are named like a credential. An image's URL, and that of a file of the job, keeps origin, path and the names of
 * its parameters alone: any value may be what opens it.
 */
import { nextMatch } from '../../base/text/next-match.js';
import { maskSignatures } from '../../base/text/mask-signatures.js';
import { parametersOf, withoutSignature } from './presigning.js';
import { addressKey, withoutValues } from './shown-url.js';
import { closingOf } from './end-of-url.js';

export interface TextFacts {
  /** Addresses of files, as `addressesOf` gives them. */
  readonly files?: ReadonlySet<string> | undefined;
  /** In code, what looks like an image is code. */
  readonly isCode?: boolean | undefined;
}

const NOTHING: TextFacts = {};

/** Whether a text may have a URL at all: cheap, and never wrongly false. */
const MAY_HAVE_URL = /:\/\/|:\\|%(?:25){0,4}3a|u003a/i;
/** `://`, once or several times escaped. The repetitions are bounded: without that, a long run would take quadratic time. */
const SEPARATOR = /(?::|%(?:25){0,4}3a|\\{1,8}u003a)(?:\\{0,8}\/|%(?:25){0,4}2f|\\{1,8}u002f){2}/gi;
const SCHEME_CHARACTER = /[a-z0-9+.-]/i;
const LONGEST_SCHEME = 30;

/** What ends a URL, or may: a bracket in a pair, and a backslash that escapes a character of URLs, do not. */
const MAY_END = /[\s"'<>()[\]{}\\^`|]/g;
const ESCAPED_CHARACTER = /\\{1,8}(?:\/|u00(?:2[1345689a-f]|3[abdf]|40|5b|5d))/iy;
/** What ends a URL in angle brackets, which may contain spaces. */
const ANGLE_END = /[<>\n]/g;
/** Behind a URL, these are of the sentence or of Markdown. */
const PUNCTUATION = new Set('.,;:!?*_~');

/** Characters of an image's description in Markdown. */
const LONGEST_ALT = 500;

/** User and password, as URLs are parsed: up to the last `@` before the path. A `?` or `#` in a password counts where no port can be meant. */
const USERINFO =
  /(:\\{0,8}\/\\{0,8}\/)(?:[^\s"'<>/?#\\]{0,1024}@|(?!\[)[^\s"'<>/?#\\:@]{0,255}:(?!\d{0,5}(?:[?#]|$))[^\s"'<>/\\]{0,1024}@)/gi;
/** The same in a URL that is escaped as a whole. */
const ESCAPED_USERINFO =
  /((?:%(?:25){0,4}3a|\\{1,8}u003a)(?:%(?:25){0,4}2f|\\{1,8}u002f){2})(?:(?!%(?:25){0,4}(?:2f|3f|23)|\\{1,8}u00(?:2f|3f|23))[^\s"'<>/?#]){0,1024}?(%(?:25){0,4}40|\\{1,8}u0040|@)/gi;

/** The text without the secrets in its URLs. All else stays verbatim. */
export function withoutSecrets(text: string, facts: TextFacts = NOTHING): string {
  if (!MAY_HAVE_URL.test(text)) return text;
  const pieces: string[] = [];
  let done = 0;
  SEPARATOR.lastIndex = 0;
  for (let match = SEPARATOR.exec(text); match; match = SEPARATOR.exec(text)) {
    const behind = SEPARATOR.lastIndex;
    const start = startOfScheme(text, match.index, done);
    if (start === match.index) continue;
    const end = endOfUrl(text, start, behind);
    const url = text.slice(start, end);
    const masked = isFile(text, start, url, facts)
      ? withoutValues(unsigned(url))
      : withoutCredentials(url);
    if (masked !== url) {
      pieces.push(text.slice(done, start), masked);
      done = end;
    }
    SEPARATOR.lastIndex = Math.max(end, behind);
  }
  return done === 0 ? text : pieces.join('') + text.slice(done);
}

/** Where the scheme before a separator begins; the separator's own place where there is none. */
function startOfScheme(text: string, separator: number, from: number): number {
  let start = separator;
  const first = Math.max(from, separator - LONGEST_SCHEME);
  while (start > first && SCHEME_CHARACTER.test(text.charAt(start - 1))) start--;
  while (start < separator && !/[a-z]/i.test(text.charAt(start))) start++;
  return start;
}

/** @param at behind its separator */
function endOfUrl(text: string, start: number, at: number): number {
  if (text.charAt(start - 1) === '<') {
    const end = nextMatch(ANGLE_END, text, at);
    if (text.charAt(end) === '>') return end;
  }
  let end = at;
  for (;;) {
    end = nextMatch(MAY_END, text, end);
    const sign = text.charAt(end);
    if (sign === '\\') {
      ESCAPED_CHARACTER.lastIndex = end;
      if (!ESCAPED_CHARACTER.test(text)) break;
      end = ESCAPED_CHARACTER.lastIndex;
      continue;
    }
    const closing = closingOf(text, end);
    if (closing === undefined) break;
    end = closing + 1;
  }
  while (end > at && PUNCTUATION.has(text.charAt(end - 1))) end--;
  return end;
}

function isFile(text: string, start: number, url: string, facts: TextFacts): boolean {
  const { files, isCode = false } = facts;
  if (files?.has(addressKey(url)) === true) return true;
  return !isCode && isImage(text, start);
}

/** Whether Markdown or HTML shows what is there as an image. */
function isImage(text: string, start: number): boolean {
  const before = text.slice(Math.max(0, start - LONGEST_ALT), start);
  if (/\bsrc\s?=\s?["']?$/i.test(before.slice(-8))) return /<img\b[^<>]*$/i.test(before);
  const bracket = /\]\(\s?<?$/.exec(before.slice(-4));
  return bracket !== null && /!\[[^[\]]*$/.test(before.slice(0, -bracket[0].length));
}

function withoutCredentials(url: string): string {
  const anonymous = url.replace(USERINFO, '$1***@').replace(ESCAPED_USERINFO, '$1***$2');
  return maskSignatures(unsigned(anonymous));
}

/** The URL without its presigning scheme; verbatim, fragment included, if it has none. */
function unsigned(url: string): string {
  const mark = url.indexOf('?');
  if (mark < 0) return url;
  const hash = url.indexOf('#');
  const end = hash < 0 ? url.length : hash;
  if (end < mark) return url;
  const parameters = parametersOf(url.slice(mark + 1, end));
  const kept = withoutSignature(parameters);
  if (kept.length === parameters.length) return url;
  const query = kept.map(({ raw }) => raw).join('&');
  return url.slice(0, mark) + (query === '' ? '' : `?${query}`) + url.slice(end);
}

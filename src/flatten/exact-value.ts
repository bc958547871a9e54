/** Parses JSON with every digit: a number that a double cannot represent becomes text. */
import { type Verbatim } from '../model/records.js';
import { type JsonOutline } from '../model/json-outline.js';
import { parseJson, skipString } from '../base/text/parse-json.js';

const TOKEN = /["\d-]/g;
const DIGITS = /-?\d[\d.eE+-]*/y;
/** How a string that begins with U+0000 begins in JSON: there is no other spelling. */
const NUL_FIRST = '"\\u0000';

/**
 * The record's value, in which a number that JSON.parse would round or spell otherwise (`2^53+1`,
 * `1.0`, `1e400`, `-0`) is a string of U+0000 and its digits. A string that begins with U+0000 gets a
 * second one, so that no two records become the same value.
 */
export function exactValue(
  { value, text }: Verbatim<unknown>,
  { isInexact }: JsonOutline,
): unknown {
  return isInexact ? parseJson(markNumbers(text)) : value;
}

function isLossy(digits: string): boolean {
  return String(Number(digits)) !== digits;
}

function markNumbers(text: string): string {
  const pieces: string[] = [];
  let done = 0;
  for (let at = nextToken(text, 0); at < text.length; at = nextToken(text, done)) {
    pieces.push(text.slice(done, at));
    if (text[at] === '"') {
      done = skipString(text, at);
      const string = text.slice(at, done);
      pieces.push(string.startsWith(NUL_FIRST) ? NUL_FIRST + string.slice(1) : string);
    } else {
      DIGITS.lastIndex = at;
      const digits = DIGITS.exec(text)?.[0] ?? '';
      done = at + digits.length;
      pieces.push(isLossy(digits) ? `${NUL_FIRST}${digits}"` : digits);
    }
  }
  return pieces.join('') + text.slice(done);
}

/** Where the next string or number begins. */
function nextToken(text: string, from: number): number {
  TOKEN.lastIndex = from;
  return TOKEN.exec(text)?.index ?? text.length;
}

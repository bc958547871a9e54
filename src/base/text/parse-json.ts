/**
 * Reads JSON as ECMAScript defines it. V8 of Node.js 24 and 26 reads some escaped keys wrong: after an
 * object with the key `\`, the key `"\n"` or `"\""` may come back as `\`
 * (https://github.com/nodejs/node/issues/63785). A text with an escaped key is therefore parsed here.
 */
import { nextMatch } from './next-match.js';

/** Where a string or a scalar ends: what follows it in JSON, or the end of the text. */
const AFTER_SCALAR = /[,\]}\s]|$/g;
const NOT_SPACE = /[^ \t\r\n]|$/g;

type Container = unknown[] | Record<string, unknown>;

/**
 * What JSON.parse is specified to return. Nesting of any depth is fine.
 *
 * @throws {SyntaxError} the text is not JSON
 */
export function parseJson(text: string): unknown {
  const value: unknown = JSON.parse(text); // checks the syntax; its keys may be wrong
  return hasEscapedKey(text) ? readValid(text) : value;
}

/** Undefined for a text that is not JSON. */
export function jsonIn(text: string): unknown {
  try {
    return parseJson(text);
  } catch {
    return undefined;
  }
}

/** The offset behind the closing quote of the string whose opening quote, or first backslash, is at `start`. @throws {RangeError} it has no end */
export function skipString(text: string, start: number): number {
  let end = start;
  for (;;) {
    end = text.indexOf('"', end + 1);
    if (end < 0) throw new RangeError('the string has no end');
    let backslashes = 0;
    while (text[end - 1 - backslashes] === '\\') backslashes++;
    if (backslashes % 2 === 0) return end + 1;
  }
}

/** The value of a JSON string. V8 parses a string alone correctly. */
export function parseString(text: string): string {
  return text.includes('\\') ? (JSON.parse(text) as string) : text.slice(1, -1);
}

/** Whether a key is spelt with a backslash. @param text valid JSON */
export function hasEscapedKey(text: string): boolean {
  for (let backslash = text.indexOf('\\'); backslash >= 0;) {
    const end = skipString(text, backslash); // it is in a string
    if (text[nextMatch(NOT_SPACE, text, end)] === ':') return true;
    backslash = text.indexOf('\\', end);
  }
  return false;
}

/** @param text valid JSON */
function readValid(text: string): unknown {
  const open: Container[] = []; // not recursive: a record may be nested 5,000 deep
  let key = ''; // the key of the next value, in an object
  let result: unknown;
  const put = (value: unknown): void => {
    const container = open.at(-1);
    if (!container) result = value;
    else if (Array.isArray(container)) container.push(value);
    else setOwn(container, key, value);
  };
  for (
    let at = nextMatch(NOT_SPACE, text, 0);
    at < text.length;
    at = nextMatch(NOT_SPACE, text, at)
  ) {
    const first = text.charAt(at);
    if (first === '{' || first === '[') {
      const container: Container = first === '{' ? {} : [];
      put(container);
      open.push(container);
      at++;
    } else if (first === '}' || first === ']') {
      open.pop();
      at++;
    } else if (first === ',' || first === ':') {
      at++;
    } else if (first === '"') {
      const end = skipString(text, at);
      const string = parseString(text.slice(at, end));
      at = nextMatch(NOT_SPACE, text, end);
      if (text[at] === ':') key = string;
      else put(string);
    } else {
      const end = nextMatch(AFTER_SCALAR, text, at);
      put(JSON.parse(text.slice(at, end)));
      at = end;
    }
  }
  return result;
}

/** Sets a member as JSON.parse does: `__proto__` is an ordinary member, and the last of equal names counts. */
function setOwn(object: Record<string, unknown>, key: string, value: unknown): void {
  if (key !== '__proto__') object[key] = value;
  else {
    const descriptor = { value, writable: true, enumerable: true, configurable: true };
    Object.defineProperty(object, key, descriptor);
  }
}

/**
 * Finds where the parts of a JSON text stand, so that they can be kept verbatim: digits beyond 2^53,
 * white space and key order included. The text must have passed `parseJson` before.
 */
import { parseString, skipString } from '../base/text/parse-json.js';

/** Offsets into the text: `start` inclusive, `end` exclusive. */
export interface Span {
  readonly start: number;
  readonly end: number;
}

const INVALID = 'json-spans needs valid JSON';
const CODE = { quote: 34, openArray: 91, closeArray: 93, open: 123, close: 125 };

/** The members of the object that starts at `start`; of a repeated key the last one, as in JSON.parse. */
export function objectMembers(text: string, start = 0): Map<string, Span> {
  const members = new Map<string, Span>();
  let at = skipSpace(text, start) + 1;
  for (;;) {
    at = skipSpace(text, at);
    if (text.charCodeAt(at) === CODE.close) return members;
    const keyEnd = skipString(text, at);
    const key = parseString(text.slice(at, keyEnd));
    const valueStart = skipSpace(text, skipSpace(text, keyEnd) + 1); // past the colon
    const valueEnd = skipValue(text, valueStart);
    members.set(key, { start: valueStart, end: valueEnd });
    at = skipSpace(text, valueEnd);
    if (text[at] === ',') at++;
  }
}

/** The elements of the array that starts at `start`, in order. */
export function arrayElements(text: string, start = 0): Span[] {
  const elements: Span[] = [];
  let at = skipSpace(text, start) + 1;
  for (;;) {
    at = skipSpace(text, at);
    if (text.charCodeAt(at) === CODE.closeArray) return elements;
    const end = skipValue(text, at);
    elements.push({ start: at, end });
    at = skipSpace(text, end);
    if (text[at] === ',') at++;
  }
}

/** The span of what stands at a path of keys and indexes, or `undefined` where the path leads nowhere. */
export function spanAt(text: string, path: readonly (string | number)[]): Span | undefined {
  let span: Span = { start: skipSpace(text, 0), end: text.trimEnd().length };
  for (const step of path) {
    const opener = text.charCodeAt(span.start);
    const inner =
      typeof step === 'string'
        ? opener === CODE.open
          ? objectMembers(text, span.start).get(step)
          : undefined
        : opener === CODE.openArray
          ? arrayElements(text, span.start)[step]
          : undefined;
    if (!inner) return undefined;
    span = inner;
  }
  return span;
}

/** The JSON object that is left of an object's text when the named members are taken out, or null when nothing is left. */
export function textWithout(text: string, known: ReadonlySet<string>): string | null {
  const rest = [...objectMembers(text)].filter(([key]) => !known.has(key));
  if (rest.length === 0) return null;
  return `{${rest.map(([key, { start, end }]) => `${JSON.stringify(key)}:${text.slice(start, end)}`).join(',')}}`;
}

/** Whether objects and arrays in the text stand in one another more than `most` levels deep. */
export function nestsDeeper(text: string, most: number): boolean {
  let depth = 0;
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code === CODE.quote) at = skipString(text, at) - 1;
    else if (code === CODE.open || code === CODE.openArray) {
      if (++depth > most) return true;
    } else if (code === CODE.close || code === CODE.closeArray) depth--;
  }
  return false;
}

function skipValue(text: string, start: number): number {
  const first = text.charCodeAt(start);
  if (Number.isNaN(first)) throw new RangeError(INVALID);
  if (first === CODE.quote) return skipString(text, start);
  if (first !== CODE.open && first !== CODE.openArray) return skipScalar(text, start);
  let depth = 0;
  for (let at = start; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code === CODE.quote) at = skipString(text, at) - 1;
    else if (code === CODE.open || code === CODE.openArray) depth++;
    else if (code === CODE.close || code === CODE.closeArray) {
      depth--;
      if (depth === 0) return at + 1;
    }
  }
  throw new RangeError(INVALID);
}

function skipScalar(text: string, start: number): number {
  let at = start;
  while (at < text.length && !',]} \t\r\n'.includes(text.charAt(at))) at++;
  return at;
}

function skipSpace(text: string, start: number): number {
  let at = start;
  while (at < text.length && text.charCodeAt(at) <= 32) at++;
  return at;
}

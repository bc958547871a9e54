/**
 * Finds the parts of a JSON text down to a given depth, and whether all its numbers and strings survive
 * JSON.parse unchanged, in one pass. The text must have passed `parseJson` before.
 */
import { parseString, skipString } from '../base/text/parse-json.js';

export interface JsonNode {
  /** Inclusive. */
  readonly start: number;
  /** Exclusive. */
  readonly end: number;
  /** The members of an object, in order; undefined for other values, and below the given depth. */
  readonly members?: readonly JsonMember[] | undefined;
  /** The elements of an array, in order; undefined for other values, and below the given depth. */
  readonly elements?: readonly JsonNode[] | undefined;
}

export interface JsonMember {
  readonly key: string;
  readonly node: JsonNode;
}

export interface JsonOutline {
  readonly root: JsonNode;
  /** The nesting depth of objects and arrays. */
  readonly deepest: number;
  /** Whether a number is written differently from `String(number)`, or a string begins with U+0000. */
  readonly isInexact: boolean;
}

const INVALID = 'json-outline needs valid JSON';
const QUOTE = 34;
const COMMA = 44;
const MINUS = 45;
const DIGIT_0 = 48;
const DIGIT_9 = 57;
const COLON = 58;
const OPEN_ARRAY = 91;
const BACKSLASH = 92;
const CLOSE_ARRAY = 93;
const OPEN = 123;
const CLOSE = 125;
/** A double is exact for this many digits. */
const SAFE_DIGITS = 15;
const NUMBER = /-?\d[\d.eE+-]*/y;
const NUL_FIRST = '\\u0000';

/**
 * @param depth how many levels to describe; 0 for the root only
 * @param start where the value begins
 */
export function outlineOf(text: string, depth: number, start = 0): JsonOutline {
  const scan = new Scan(text, start);
  const root = scan.node(depth);
  return { root, deepest: scan.deepest, isInexact: scan.isInexact };
}

/** The elements of the array that starts at `start`, in order, one at a time: a list may have 600,000. */
export function* arrayElements(text: string, start = 0): Generator<JsonNode> {
  yield* new Scan(text, start).elements(0);
}

/** The member of this name; of a repeated key the last one, as in JSON.parse. */
export function memberOf(node: JsonNode | undefined, key: string): JsonNode | undefined {
  return node?.members?.findLast((member) => member.key === key)?.node;
}

class Scan {
  readonly #text: string;
  #at: number;
  #depth = 0;
  deepest = 0;
  isInexact = false;

  constructor(text: string, start: number) {
    this.#text = text;
    this.#at = start;
  }

  node(depth: number): JsonNode {
    const first = this.#skipSpace();
    const start = this.#at;
    if (depth > 0 && first === OPEN)
      return { start, members: this.#members(depth - 1), end: this.#at };
    if (depth > 0 && first === OPEN_ARRAY) {
      return { start, elements: [...this.elements(depth - 1)], end: this.#at };
    }
    this.#skipValue();
    return { start, end: this.#at };
  }

  #members(depth: number): JsonMember[] {
    const members: JsonMember[] = [];
    this.#enter();
    for (let next = this.#skipSpace(); next !== CLOSE; next = this.#skipSpace()) {
      if (next === COMMA) {
        this.#at++;
        continue;
      }
      const start = this.#at;
      this.#at = skipString(this.#text, start);
      const key = parseString(this.#text.slice(start, this.#at));
      this.#skipSpace();
      this.#at++; // the colon
      members.push({ key, node: this.node(depth) });
    }
    this.#leave();
    return members;
  }

  *elements(depth: number): Generator<JsonNode> {
    this.#skipSpace();
    this.#enter();
    for (let next = this.#skipSpace(); next !== CLOSE_ARRAY; next = this.#skipSpace()) {
      if (next === COMMA) this.#at++;
      else yield this.node(depth);
    }
    this.#leave();
  }

  /** Skips a value. A loop without recursion, because a record may be nested 5,000 levels deep. */
  #skipValue(): void {
    const outside = this.#depth;
    do {
      const code = this.#skipSpace();
      if (code === QUOTE) this.#skipString();
      else if (code === OPEN || code === OPEN_ARRAY) this.#enter();
      else if (code === CLOSE || code === CLOSE_ARRAY) this.#leave();
      else if (code === MINUS || (code >= DIGIT_0 && code <= DIGIT_9)) this.#skipNumber();
      else if (code === COMMA || code === COLON) this.#at++;
      else this.#skipWord();
    } while (this.#depth > outside);
  }

  #skipString(): void {
    const start = this.#at;
    if (this.#text.charCodeAt(start + 1) === BACKSLASH) {
      this.isInexact ||= this.#text.startsWith(NUL_FIRST, start + 1);
    }
    this.#at = skipString(this.#text, start);
  }

  #skipNumber(): void {
    const start = this.#at;
    while (isDigit(this.#text.charCodeAt(this.#at))) this.#at++;
    NUMBER.lastIndex = start;
    const code = this.#text.charCodeAt(this.#at);
    const isPlain = this.#at > start && !continuesNumber(code) && this.#at - start <= SAFE_DIGITS;
    if (isPlain) return;
    const digits = NUMBER.exec(this.#text)?.[0] ?? '';
    this.#at = start + digits.length;
    this.isInexact ||= String(Number(digits)) !== digits;
  }

  /** `true`, `false`, `null`. @throws {RangeError} anything else */
  #skipWord(): void {
    const start = this.#at;
    while (isLetter(this.#text.charCodeAt(this.#at))) this.#at++;
    if (this.#at === start) throw new RangeError(INVALID);
  }

  #skipSpace(): number {
    for (;;) {
      const code = this.#text.charCodeAt(this.#at);
      if (!(code <= 32)) return code;
      this.#at++;
    }
  }

  #enter(): void {
    this.#at++;
    if (++this.#depth > this.deepest) this.deepest = this.#depth;
  }

  #leave(): void {
    this.#at++;
    this.#depth--;
  }
}

function isDigit(code: number): boolean {
  return code >= DIGIT_0 && code <= DIGIT_9;
}

/** Whether a number continues after its first digits: with a dot, or an exponent. */
function continuesNumber(code: number): boolean {
  return code === 46 || code === 69 || code === 101;
}

function isLetter(code: number): boolean {
  return code >= 97 && code <= 122;
}

/** Undoes the escapes of JSON, JavaScript, HTML and URLs in a text, and remembers where each byte was written. */

/** A text in UTF-8. */
export interface WrittenText {
  readonly bytes: Buffer;
  /** The first character that writes each byte. */
  readonly from: Uint32Array;
  /** The character after the last. */
  readonly to: Uint32Array;
}

const [PERCENT, AMPERSAND, BACKSLASH] = Buffer.from('%&\\');
/** The longest escape: `&#x0010ffff;`, or two of `\ud83d`. */
const LONGEST = 12;

const ENTITIES: Readonly<Record<string, string>> = {
  amp: '&',
  lt: '<',
  gt: '>',
  quot: '"',
  apos: "'",
  nbsp: ' ',
  equals: '=',
  plus: '+',
  sol: '/',
  bsol: '\\',
  period: '.',
  comma: ',',
  colon: ':',
  semi: ';',
  excl: '!',
  num: '#',
  dollar: '$',
  percnt: '%',
  ast: '*',
  lpar: '(',
  rpar: ')',
  quest: '?',
  commat: '@',
  lowbar: '_',
  hyphen: '-',
  verbar: '|',
  grave: '`',
  lsqb: '[',
  rsqb: ']',
  lcub: '{',
  rcub: '}',
};
const CONTROLS: Readonly<Record<string, string>> = {
  n: '\n',
  r: '\r',
  t: '\t',
  b: '\b',
  f: '\f',
};

export function writtenText(text: string): WrittenText {
  const bytes = Buffer.from(text);
  const [from, to] = [new Uint32Array(bytes.length), new Uint32Array(bytes.length)];
  let character = 0;
  for (let at = 0; at < bytes.length;) {
    const byte = bytes[at] ?? 0;
    const length = byte < 0x80 ? 1 : byte < 0xe0 ? 2 : byte < 0xf0 ? 3 : 4;
    const units = length === 4 ? 2 : 1;
    from.fill(character, at, at + length);
    to.fill(character + units, at, at + length);
    at += length;
    character += units;
  }
  return { bytes, from, to };
}

/** The text with every escape undone once; undefined if there is none. */
export function unescaped({ bytes, from, to }: WrittenText): WrittenText | undefined {
  const written = Buffer.alloc(bytes.length);
  const [starts, ends] = [new Uint32Array(bytes.length), new Uint32Array(bytes.length)];
  let length = 0;
  let hasEscape = false;
  for (let at = 0; at < bytes.length;) {
    const escape = escapeAt(bytes, at);
    const decoded = escape?.bytes ?? bytes.subarray(at, at + 1);
    const taken = escape?.length ?? 1;
    for (const byte of decoded) {
      written[length] = byte;
      starts[length] = from[at] ?? 0;
      ends[length] = to[at + taken - 1] ?? 0;
      length++;
    }
    hasEscape ||= escape !== undefined;
    at += taken;
  }
  return hasEscape ? { bytes: written.subarray(0, length), from: starts, to: ends } : undefined;
}

interface Escape {
  /** What it means: never more bytes than it is written with. */
  readonly bytes: Uint8Array;
  /** Bytes that it is written with. */
  readonly length: number;
}

function escapeAt(bytes: Buffer, at: number): Escape | undefined {
  const first = bytes[at];
  if (first !== PERCENT && first !== AMPERSAND && first !== BACKSLASH) return undefined;
  const text = bytes.toString('latin1', at, at + LONGEST);
  if (first === PERCENT) {
    const digits = /^%([0-9a-f]{2})/i.exec(text)?.[1];
    return digits === undefined
      ? undefined
      : { bytes: Uint8Array.of(parseInt(digits, 16)), length: 3 };
  }
  return first === AMPERSAND ? entityIn(text) : backslashIn(text);
}

function entityIn(text: string): Escape | undefined {
  const [whole = '', hex, decimal, name = ''] =
    /^&(?:#x([0-9a-f]{1,8})|#(\d{1,9})|([a-z]{2,6}));?/i.exec(text) ?? [];
  if (hex !== undefined) return escape(parseInt(hex, 16), whole);
  if (decimal !== undefined) return escape(Number(decimal), whole);
  // without its semicolon a name may be longer than what it means: &ltx
  const decoded = whole.endsWith(';') ? ENTITIES[name.toLowerCase()] : undefined;
  return decoded === undefined ? undefined : escape(decoded.charCodeAt(0), whole);
}

function backslashIn(text: string): Escape | undefined {
  const [whole = '', high, low, unit, byte, other = ''] =
    /^\\(?:u(d[89ab][0-9a-f]{2})\\u(d[c-f][0-9a-f]{2})|u([0-9a-f]{4})|x([0-9a-f]{2})|(["'\\/nrtbf]))/i.exec(
      text,
    ) ?? [];
  if (whole === '') return undefined;
  if (high !== undefined && low !== undefined) {
    const [first, second] = [parseInt(high, 16), parseInt(low, 16)];
    return escape(((first & 0x3ff) << 10) + (second & 0x3ff) + 0x10000, whole);
  }
  const digits = unit ?? byte;
  if (digits !== undefined) return escape(parseInt(digits, 16), whole);
  return escape((CONTROLS[other] ?? other).charCodeAt(0), whole);
}

/** Undefined for what is no character. */
function escape(point: number, written: string): Escape | undefined {
  if (point > 0x10ffff) return undefined;
  return { bytes: Buffer.from(String.fromCodePoint(point)), length: written.length };
}

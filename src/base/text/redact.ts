/** Removes secrets from logs, errors and what is said of settings: stricter than texts of the archive, which `model/url-secrets.ts` masks. */
import { nextMatch } from './next-match.js';

// the scheme is bounded: without that, long runs such as `a.a.a.` would take quadratic time
const URL_IN_TEXT = /\b([a-z][a-z0-9+.-]{0,30}:\/\/)([^\s"'<>?#]*)([?#][^\s"'<>]*)?/gi;
/** A scheme without a host: parsers of URLs take the slashes for granted, and what follows for user and password. */
const WITHOUT_SLASHES = /\b(https?|rediss?|s3|wss?|ftp):\/?(?=[^\s/"'<>])[^\s"'<>]{0,2048}@/gi;
/** A host with neither credentials nor a port behind its colon: user and password, cut off at a `/`, `?` or `#`. */
const NO_PORT = /^[^/:@[]*:(?!\d{0,5}(?:[^\w@%]|$))[^/@]*(?:\/|$)/;

/**
 * Shorter ones are parts of ordinary words: masking them would garble sentences and show where they occur. An
 * API key is longer (`checkApiKey`), and passwords in URLs are removed by their position.
 */
const SHORTEST_SECRET = 4;

/** Every URL inside a text loses its credentials, query and fragment; `secrets` and signatures become `***`. */
export function redactText(text: string, secrets: readonly string[] = []): string {
  const withoutQueries = maskSignatures(text)
    .replace(URL_IN_TEXT, (_match, scheme: string, rest: string, tail: string | undefined) =>
      NO_PORT.test(rest) ? `${scheme}…` : scheme + rest.replace(/^[^/]*@/, '') + (tail ? '?…' : ''),
    )
    .replace(WITHOUT_SLASHES, '$1:***@');
  return withoutSpellings(
    withoutQueries,
    secrets.filter((secret) => secret.length >= SHORTEST_SECRET),
  );
}

/**
 * Masks secrets in a text however they are written: as they are, escaped for JSON, JavaScript, HTML or a URL,
 * once or several times, in base64 at any offset and in either alphabet, and long ones in hexadecimal digits or in
 * other capitals, too.
 */

/** Escaped once for each of these: what a page quotes of an answer that quotes a request. */
const MOST_ESCAPES = 5;
/** Fewer characters of base64 also occur in ordinary words. */
const SHORTEST_BASE64 = 8;
/** Characters of a secret that is masked in capitals and in hexadecimal digits as well: shorter ones may be words. */
const SHORTEST_LONG = 16;
const [PLUS, SLASH, EQUALS, MINUS, UNDERSCORE, LF, CR] = Buffer.from('+/=-_\n\r');

/** Characters of the text: the first, and the one after the last. */
type Range = readonly [number, number];

/** The text with `***` for each secret. */
function withoutSpellings(text: string, secrets: readonly string[]): string {
  if (secrets.length === 0) return text;
  const needles = secrets.flatMap((secret) => [secret, secret.replaceAll(' ', '+')]);
  const plain = [...new Set(needles)].map((needle) => Buffer.from(needle));
  const encoded = secrets.flatMap(inBase64);
  const long = secrets.filter((secret) => secret.length >= SHORTEST_LONG);
  const inSmallLetters = [...long, ...long.map(inHex)].map((needle) =>
    smallLetters(Buffer.from(needle)),
  );
  const ranges: Range[] = [];
  let written: WrittenText | undefined = writtenText(text);
  for (let escapes = 0; written && escapes <= MOST_ESCAPES; escapes++) {
    for (const needle of plain) ranges.push(...placesOf(needle, written));
    const small = { ...written, bytes: smallLetters(written.bytes) };
    for (const needle of inSmallLetters) ranges.push(...placesOf(needle, small));
    const digits = base64In(written);
    for (const needle of encoded) ranges.push(...placesOf(needle, digits, isBase64));
    written = unescaped(written);
  }
  return masked(text, ranges);
}

/** @param isMore whether a byte right before or after a place belongs to it */
function placesOf(
  needle: Buffer,
  { bytes, from, to }: WrittenText,
  isMore: (byte: number | undefined) => boolean = () => false,
): Range[] {
  const places: Range[] = [];
  for (let at = bytes.indexOf(needle); at >= 0; at = bytes.indexOf(needle, at + needle.length)) {
    const first = isMore(bytes[at - 1]) ? at - 1 : at;
    let last = at + needle.length - 1;
    if (isMore(bytes[last + 1])) last++;
    while (isMore(bytes[last]) && bytes[last + 1] === EQUALS) last++;
    places.push([from[first] ?? 0, to[last] ?? 0]);
  }
  return places;
}

function masked(text: string, ranges: readonly Range[]): string {
  const pieces: string[] = [];
  let done = 0;
  for (const [start, end] of ranges.toSorted(([a], [b]) => a - b)) {
    // a range that overlaps the one before makes it longer
    if (start >= done) pieces.push(text.slice(done, start), '***');
    done = Math.max(done, end);
  }
  return pieces.join('') + text.slice(done);
}

/** Of each of the three offsets, the characters that depend on the secret alone: one more on either side may. */
function inBase64(secret: string): Buffer[] {
  const bytes = Buffer.from(secret);
  return [0, 1, 2].flatMap((offset) => {
    const encoded = Buffer.concat([Buffer.alloc(offset), bytes]).toString('base64');
    const first = Math.ceil((offset * 8) / 6);
    const own = encoded.slice(first, Math.floor(((offset + bytes.length) * 8) / 6));
    return own.length < SHORTEST_BASE64 ? [] : [Buffer.from(own)];
  });
}

function inHex(secret: string): string {
  return Buffer.from(secret).toString('hex');
}

/** A copy in which the letters A to Z are a to z. */
function smallLetters(bytes: Buffer): Buffer {
  const small = Buffer.from(bytes);
  for (let at = 0; at < small.length; at++) {
    const byte = small[at] ?? 0;
    if (byte >= 0x41 && byte <= 0x5a) small[at] = byte | 0x20;
  }
  return small;
}

/** Without line ends, in the alphabet that is not for URLs. */
function base64In({ bytes, from, to }: WrittenText): WrittenText {
  const kept = Buffer.alloc(bytes.length);
  const starts = new Uint32Array(bytes.length);
  const ends = new Uint32Array(bytes.length);
  let length = 0;
  for (let at = 0; at < bytes.length; at++) {
    const byte = bytes[at] ?? 0;
    if (byte === LF || byte === CR) continue;
    kept[length] = byte === MINUS ? (PLUS ?? 0) : byte === UNDERSCORE ? (SLASH ?? 0) : byte;
    starts[length] = from[at] ?? 0;
    ends[length] = to[at] ?? 0;
    length++;
  }
  return { bytes: kept.subarray(0, length), from: starts, to: ends };
}

function isBase64(byte: number | undefined): boolean {
  return byte !== undefined && /[A-Za-z0-9+/]/.test(String.fromCharCode(byte));
}

/** Undoes the escapes of JSON, JavaScript, HTML and URLs in a text, and remembers where each byte was written. */

/** A text in UTF-8. */
interface WrittenText {
  readonly bytes: Buffer;
  /** Of each byte, the first character that writes it. */
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

function writtenText(text: string): WrittenText {
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

/** With every escape undone once; undefined if there is none. */
function unescaped({ bytes, from, to }: WrittenText): WrittenText | undefined {
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

/** Masks the values of signatures and credentials in URLs anywhere in a text, however the URL is escaped. */

// repetitions are bounded: without that, a long run of `%25` or backslashes would take quadratic time

/** `=` as it is, in a URL within a URL, in JSON and in HTML. */
const ANY_EQUALS = String.raw`(?:=|%(?:25){0,4}3d|\\{1,8}u003d|&#(?:61|x3d);|&equals;)`;
const ANY_AMPERSAND = String.raw`&(?:amp;){0,4}|&#(?:38|x26);(?:amp;){0,4}|%(?:25){0,4}26|\\{1,8}u0026`;
const ANY_QUESTION = String.raw`\?|%(?:25){0,4}3f|\\{1,8}u003f|&#(?:63|x3f);`;
/** These names always mean a signature or a key. */
const CERTAIN = 'x-(?:amz|goog|oss)-(?:signature|security-token)|q-signature';
/** These are also ordinary words: they count only as a parameter with a long value. */
const LIKELY = 'signature|sig|key|security-token|x-cos-security-token';
/** These name what opens something to its holder, however short its value is. */
const CREDENTIAL =
  '(?:(?:access|id|auth|oauth|refresh|session|bearer|security|csrf|private|sas)[_-]?)?token|jwt|bearer|(?:x[_-]?)?api[_-]?key|' +
  'access[_-]?key(?:[_-]?id)?|subscription[_-]?key|secret(?:[_-]?key)?|client[_-]?secret|password|passwd|pwd|authorization|auth|' +
  'credentials?|(?:j|php)?sess(?:ion)?[_-]?id';
/** Begins a parameter of a path, or of a fragment. */
const OTHER_START = String.raw`[;#]|%(?:25){0,4}(?:3b|23)`;
/** Ends a parameter: a quote, a bracket, white space, an ampersand in any spelling, or a script that writes no spaces. */
const VALUE_END =
  /[\s"'<>()[\]{}\\`|#&\u2010-\u206f\u3000-\u303f\uff00-\uffef\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\p{Script=Thai}]|%(?:25){0,4}26/giu;
/** A word that is likely a signature's name has a value of at least this length. */
const SHORTEST_VALUE = 16;

const NAME = new RegExp(
  `(${CERTAIN})${ANY_EQUALS}|(?:${ANY_AMPERSAND}|${ANY_QUESTION}|${OTHER_START})(?:(${CREDENTIAL})|${LIKELY})${ANY_EQUALS}`,
  'gi',
);
const MAY_HOLD_ONE = /sig|token|key|jwt|bearer|secret|pass|pwd|auth|credential|sess/i;

/** The text with `***` for each signature and each credential. */
export function maskSignatures(text: string): string {
  if (!MAY_HOLD_ONE.test(text)) return text;
  const pieces: string[] = [];
  let done = 0;
  NAME.lastIndex = 0;
  for (let name = NAME.exec(text); name; name = NAME.exec(text)) {
    const start = NAME.lastIndex;
    const end = nextMatch(VALUE_END, text, start);
    const isSignature = end - start >= ((name[1] ?? name[2]) === undefined ? SHORTEST_VALUE : 1);
    if (isSignature) {
      pieces.push(text.slice(done, start), '***');
      done = end;
    }
    NAME.lastIndex = isSignature ? end : name.index + 1;
  }
  return pieces.join('') + text.slice(done);
}

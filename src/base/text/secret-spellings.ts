/**
 * Masks secrets in a text however they are written: as they are, escaped for JSON, JavaScript, HTML or a URL,
 * once or several times, in base64 at any offset and in either alphabet, and long ones in hexadecimal digits or in
 * other capitals, too.
 */
import { type WrittenText, writtenText, unescaped } from './written-text.js';

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
export function withoutSpellings(text: string, secrets: readonly string[]): string {
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

/**
 * The secret in base64 at each of the three offsets: the characters that depend on the secret alone, as one more on
 * either side may not.
 */
function inBase64(secret: string): Buffer[] {
  const bytes = Buffer.from(secret);
  return [0, 1, 2].flatMap((offset) => {
    const encoded = Buffer.concat([Buffer.alloc(offset), bytes]).toString('base64');
    const first = Math.ceil((offset * 8) / 6);
    const secretPart = encoded.slice(first, Math.floor(((offset + bytes.length) * 8) / 6));
    return secretPart.length < SHORTEST_BASE64 ? [] : [Buffer.from(secretPart)];
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

/** Tells text from binary, finds the encoding of a text, and decodes it. */
import { isUtf8 } from 'node:buffer';
import { TextDecoder } from 'node:util';

/** As the Encoding Standard names it (`utf-8`, `windows-1252`, …), or `unknown`. */
export type TextEncoding = string;

/** Nothing tells the encoding of the text. It is decoded as UTF-8, with U+FFFD for what is none. */
export const UNKNOWN_ENCODING = 'unknown';

const UTF_8 = 'utf-8';
const WINDOWS_1252 = 'windows-1252';

// All control characters except tab, line feed, vertical tab, form feed, carriage return, Ctrl-Z (the
// end of old DOS files) and escape (ISO-2022-JP). No text encoding in use has the others; every common
// binary format has one near its start.
// eslint-disable-next-line no-control-regex -- the pattern is to find control characters
const CONTROL = /[\0-\x08\x0e-\x19\x1c-\x1f\x7f]/;

export interface EncodingHints {
  /** The charset of the response; ignored where the bytes are not of it. */
  readonly charset?: string | null;
  /** Whether the bytes are all of the text: else the last character may be cut. */
  readonly isWhole?: boolean;
}

/**
 * The encoding of a text, or null for binary: its byte order mark, else the response's charset, else UTF-8, else the
 * one legacy encoding that fits. A charset of Windows-1252 counts after UTF-8: servers add it to what they do not know.
 *
 * @param head the first bytes, or all of them
 */
export function textEncodingOf(
  head: Uint8Array,
  { charset = null, isWhole = false }: EncodingHints = {},
): TextEncoding | null {
  const wide = encodingByMark(head) ?? utf16WithoutMark(head);
  if (wide !== undefined) return CONTROL.test(decodeText(head, wide)) ? null : wide;
  if (CONTROL.test(latin1Of(head))) return null;
  const named = encodingNamed(charset);
  if (named !== undefined && named !== WINDOWS_1252 && decodes(head, named)) return named;
  if (isUtf8(isWhole ? head : withoutCutCharacter(head))) return UTF_8;
  if (named === WINDOWS_1252) return named;
  return legacyEncodingOf(head) ?? UNKNOWN_ENCODING;
}

/** The charset that a Content-Type names; null without one. */
export function charsetIn(contentType: string): string | null {
  return /;\s*charset\s*=\s*"?([^\s";,]{1,40})/i.exec(contentType)?.[1] ?? null;
}

/** The text without its byte order mark. Invalid bytes become U+FFFD; a truncated last character is omitted. */
export function decodeText(head: Uint8Array, encoding: TextEncoding): string {
  if (encoding === UTF_8 || encoding === UNKNOWN_ENCODING)
    return UTF8.decode(withoutCutCharacter(head));
  return decoderOf(encoding).decode(head);
}

/** Decodes a text as it streams by. */
export interface StreamDecoder {
  /** @throws {TypeError} the bytes are not of the encoding, if the decoder is strict */
  decode(chunk: Uint8Array): string;
}

export function decoderOf(encoding: TextEncoding, { isStrict = false } = {}): StreamDecoder {
  // Node 22 and 24 decode it as Latin-1
  if (encoding === WINDOWS_1252) return { decode: decodeWindows1252 };
  const decoder = new TextDecoder(encoding, { fatal: isStrict });
  return { decode: (chunk) => decoder.decode(chunk, { stream: true }) };
}

/** Ten times as fast as a decoder with `stream: true`. */
const UTF8 = new TextDecoder();

/** The bytes from 0x80 to 0x9F, as the Encoding Standard has them. */
const WINDOWS_PUNCTUATION = '€\x81‚ƒ„…†‡ˆ‰Š‹Œ\x8dŽ\x8f\x90‘’“”•–—˜™š›œ\x9džŸ';

function decodeWindows1252(bytes: Uint8Array): string {
  return latin1Of(bytes).replace(/[\x80-\x9f]/g, (byte) =>
    WINDOWS_PUNCTUATION.charAt(byte.charCodeAt(0) - 0x80),
  );
}

/** Without the bytes at the end that belong to a truncated UTF-8 character. */
export function withoutCutCharacter(bytes: Uint8Array): Uint8Array {
  for (let back = 1; back <= Math.min(3, bytes.length); back++) {
    const byte = bytes[bytes.length - back] ?? 0;
    const isContinued = (byte & 0xc0) === 0x80;
    if (isContinued) continue;
    const length = byte >= 0xf0 ? 4 : byte >= 0xe0 ? 3 : byte >= 0xc0 ? 2 : 1;
    return length > back ? bytes.subarray(0, bytes.length - back) : bytes;
  }
  return bytes;
}

function latin1Of({ buffer, byteOffset, byteLength }: Uint8Array): string {
  return Buffer.from(buffer, byteOffset, byteLength).toString('latin1');
}

function encodingByMark([a, b, c]: Uint8Array): TextEncoding | undefined {
  if (a === 0xef && b === 0xbb && c === 0xbf) return UTF_8;
  if (a === 0xff && b === 0xfe) return 'utf-16le';
  return a === 0xfe && b === 0xff ? 'utf-16be' : undefined;
}

const UTF16_SAMPLE_BYTES = 4096;
/** Zero bytes on the one side for each on the other: in what is no text, such as an image, they are on both. */
const MOSTLY = 3;

/** A text has line ends, separators or digits: in UTF-16 each is next to a zero byte, nearly always on the same side. */
function utf16WithoutMark(head: Uint8Array): TextEncoding | undefined {
  const sample = head.subarray(0, UTF16_SAMPLE_BYTES);
  let [even, odd] = [0, 0];
  for (let at = sample.indexOf(0); at >= 0; at = sample.indexOf(0, at + 1)) {
    if (at % 2 === 0) even++;
    else odd++;
  }
  if (Math.max(even, odd) <= MOSTLY * Math.min(even, odd)) return undefined;
  const encoding = odd > even ? 'utf-16le' : 'utf-16be';
  const text = strictlyDecoded(sample, encoding);
  const isText = text !== undefined && /[\t\n\r -~]/.test(text) && hasOnlyCharacters(text);
  return isText ? encoding : undefined;
}

function encodingNamed(charset: string | null): TextEncoding | undefined {
  try {
    return charset === null ? undefined : new TextDecoder(charset).encoding;
  } catch {
    return undefined; // no encoding has this name
  }
}

/** Unassigned, or of private use: no text that somebody wrote has them. */
const NO_CHARACTER = /[\p{Cn}\p{Co}]/u;

function decodes(bytes: Uint8Array, encoding: TextEncoding): boolean {
  const text = strictlyDecoded(bytes, encoding);
  return text !== undefined && hasOnlyCharacters(text);
}

function hasOnlyCharacters(text: string): boolean {
  return !NO_CHARACTER.test(text) && !CONTROL.test(text);
}

/** Undefined where the bytes are not of the encoding. */
function strictlyDecoded(bytes: Uint8Array, encoding: TextEncoding): string | undefined {
  try {
    return decoderOf(encoding, { isStrict: true }).decode(bytes);
  } catch {
    return undefined;
  }
}

/**
 * Whether bytes that are not UTF-8 look like a text of the encoding. Each is strict: where two fit or none, the
 * encoding is unknown.
 */
const LEGACY: Readonly<Record<string, (bytes: string, text: string) => boolean>> = {
  // words in Latin letters are mostly ASCII, and have no signs within
  [WINDOWS_1252]: (bytes) =>
    !/[\x81\x8d\x8f\x90\x9d]/.test(bytes) &&
    !/[\x80-\xff]{4}|[\xc0-\xff]{3}/.test(bytes) &&
    !/[a-z\xc0-\xff][\xa1-\xa9\xac\xae-\xb3\xb5\xb6\xb8\xb9\xbc-\xbf][a-z\xdf-\xff]/i.test(bytes),
  // kana and the common kanji begin with 81 to 9F; katakana of half width do not count
  shift_jis: (bytes, text) =>
    consistsOf(bytes, /[\x81-\x9f\xe0-\xef][\x40-\x7e\x80-\xfc]/g) &&
    /[\x81-\x9f]./.test(bytes) &&
    !/[\p{sc=Han}\p{sc=Hira}\p{sc=Kana}][a-z]/u.test(text),
  'euc-kr': (bytes, text) =>
    consistsOf(bytes, /[\xa1-\xfe][\xa1-\xfe]/g) &&
    /[가-힣]/.test(text) &&
    !/[\p{sc=Han}\p{sc=Hira}\p{sc=Kana}\u3131-\u318e]/u.test(text),
  // GB2312, of which most characters are of its first level; no Korean of the same bytes
  gb18030: (bytes, text) =>
    consistsOf(bytes, /[\xa1-\xf7][\xa1-\xfe]/g) &&
    /\p{sc=Han}/u.test(text) &&
    !/[\p{sc=Hira}\p{sc=Kana}]/u.test(text) &&
    (bytes.match(/[\xb0-\xd7][\xa1-\xfe]/g)?.length ?? 0) * 4 >=
      (text.match(/\p{sc=Han}/gu)?.length ?? 0) * 3 &&
    !isSurelyKorean(bytes),
};

const LEGACY_SAMPLE_BYTES = 64 * 1024;

/** The one legacy encoding that decodes without a fault; undefined where several do, or none. */
function legacyEncodingOf(head: Uint8Array): TextEncoding | undefined {
  const bytes = head.subarray(0, LEGACY_SAMPLE_BYTES);
  const fitting = Object.entries(LEGACY).filter(([encoding, fits]) => {
    const text = strictlyDecoded(bytes, encoding);
    return text !== undefined && !NO_CHARACTER.test(text) && fits(latin1Of(bytes), text);
  });
  return fitting.length === 1 ? fitting[0]?.[0] : undefined;
}

/** The last character may be cut. */
function consistsOf(bytes: string, pair: RegExp): boolean {
  return !/[\x80-\xff]./s.test(bytes.replace(pair, ''));
}

/** Korean syllables have the bytes of some 60 % of Chinese writing. */
const ENOUGH_SYLLABLES = 16;

function isSurelyKorean(bytes: string): boolean {
  const pairs = bytes.match(/[\xb0-\xf7][\xa1-\xfe]/g) ?? [];
  return pairs.length >= ENOUGH_SYLLABLES && pairs.every((pair) => pair <= '\xc8\xfe');
}

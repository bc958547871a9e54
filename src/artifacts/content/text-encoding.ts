/** Detects text and its encoding by the first bytes. */
import { TextDecoder } from 'node:util';

export type TextEncoding = 'utf-8' | 'utf-16le' | 'utf-16be';

// All control characters except tab, line feed, vertical tab, form feed, carriage return, Ctrl-Z (the
// end of old DOS files) and escape (ISO-2022-JP). No text encoding in use has the others; every common
// binary format has one near its start.
// eslint-disable-next-line no-control-regex -- the pattern is to find control characters
const CONTROL = /[\0-\x08\x0e-\x19\x1c-\x1f\x7f]/;

/**
 * The encoding of a text, or null for binary. Legacy encodings (Latin-1, GBK, Shift_JIS) count as
 * `utf-8`: only their ASCII part matters here, and it is the same.
 */
export function textEncodingOf(head: Uint8Array): TextEncoding | null {
  const encoding = encodingByMark(head) ?? utf16WithoutMark(head) ?? 'utf-8';
  // in UTF-8 a byte below 0x80 is always a character of its own, so no decoding is needed
  const text = encoding === 'utf-8' ? latin1Of(head) : decodeText(head, encoding);
  return CONTROL.test(text) ? null : encoding;
}

/** The text without its byte order mark. Invalid bytes become U+FFFD; a truncated last character is omitted. */
export function decodeText(head: Uint8Array, encoding: TextEncoding): string {
  if (encoding !== 'utf-8') return new TextDecoder(encoding).decode(head, { stream: true });
  return UTF8.decode(head.subarray(0, head.length - truncatedBytes(head)));
}

/** Ten times as fast as a decoder with `stream: true`. */
const UTF8 = new TextDecoder();

/** How many bytes at the end belong to a truncated UTF-8 character. */
function truncatedBytes(bytes: Uint8Array): number {
  for (let back = 1; back <= Math.min(3, bytes.length); back++) {
    const byte = bytes[bytes.length - back] ?? 0;
    const isContinued = (byte & 0xc0) === 0x80;
    if (isContinued) continue;
    const length = byte >= 0xf0 ? 4 : byte >= 0xe0 ? 3 : byte >= 0xc0 ? 2 : 1;
    return length > back ? back : 0;
  }
  return 0;
}

function latin1Of({ buffer, byteOffset, byteLength }: Uint8Array): string {
  return Buffer.from(buffer, byteOffset, byteLength).toString('latin1');
}

function encodingByMark([a, b, c]: Uint8Array): TextEncoding | undefined {
  if (a === 0xef && b === 0xbb && c === 0xbf) return 'utf-8';
  if (a === 0xff && b === 0xfe) return 'utf-16le';
  return a === 0xfe && b === 0xff ? 'utf-16be' : undefined;
}

/** Without a mark: two ASCII characters, each next to a zero byte. */
function utf16WithoutMark([a, b, c, d]: Uint8Array): TextEncoding | undefined {
  if (a && b === 0 && c && d === 0) return 'utf-16le';
  return a === 0 && b && c === 0 && d ? 'utf-16be' : undefined;
}

/** Tells text from binary by its first bytes, and which encoding it is in. */
import { TextDecoder } from 'node:util';

export type TextEncoding = 'utf-8' | 'utf-16le' | 'utf-16be';

// Everything below the space but tab, line feed, vertical tab, form feed, carriage return, Ctrl-Z (the
// end of old DOS files) and escape (ISO-2022-JP). No text encoding in use has the others; every binary
// format of note has one near its start.
// eslint-disable-next-line no-control-regex -- control characters are what is looked for
const CONTROL = /[\0-\x08\x0e-\x19\x1c-\x1f\x7f]/;

/**
 * The encoding of what may be text, or null for binary. Legacy encodings (Latin-1, GBK, Shift_JIS)
 * count as `utf-8`: their ASCII part, which is all that matters here, reads the same.
 */
export function textEncodingOf(head: Uint8Array): TextEncoding | null {
  const encoding = encodingByMark(head) ?? utf16WithoutMark(head) ?? 'utf-8';
  return CONTROL.test(decodeText(head, encoding)) ? null : encoding;
}

/** The text without its byte order mark; what is no valid character becomes U+FFFD. */
export function decodeText(head: Uint8Array, encoding: TextEncoding): string {
  return new TextDecoder(encoding).decode(head, { stream: true });
}

function encodingByMark([a, b, c]: Uint8Array): TextEncoding | undefined {
  if (a === 0xef && b === 0xbb && c === 0xbf) return 'utf-8';
  if (a === 0xff && b === 0xfe) return 'utf-16le';
  return a === 0xfe && b === 0xff ? 'utf-16be' : undefined;
}

/** Without a mark: two ASCII characters, each beside a zero byte. */
function utf16WithoutMark([a, b, c, d]: Uint8Array): TextEncoding | undefined {
  if (a && b === 0 && c && d === 0) return 'utf-16le';
  return a === 0 && b && c === 0 && d ? 'utf-16be' : undefined;
}

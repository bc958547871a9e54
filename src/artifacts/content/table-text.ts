/** The text of a table as it streams by: its encoding, its records and columns, and its beginning for searches. */
import { TextDecoder } from 'node:util';
import { MAX_TABLE_TEXT_BYTES } from '../../model/tables.js';

/** Detects text and its encoding by the first bytes. */

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

export interface CsvShape {
  /** Records after the header row, without empty lines. */
  readonly rowCount: number;
  /** Fields in the header row. */
  readonly columnCount: number;
}

const [LF, CR, QUOTE, COMMA] = [0x0a, 0x0d, 0x22, 0x2c];
const UTF8_MARK = [0xef, 0xbb, 0xbf];

/**
 * State of the scanner within a field. `quote`: after a quote inside a quoted field, which either closes
 * the field or is the first half of an escaped quote.
 */
type FieldState = 'start' | 'plain' | 'quoted' | 'quote';

export class CsvScanner {
  #at: FieldState = 'start';
  /** Bytes of the byte order mark seen so far; its full length once the mark is over or absent. */
  #markBytes = 0;
  /** Finished fields of the current record. */
  #fields = 0;
  #records = 0;
  #columnCount = 0;

  write(chunk: Uint8Array): void {
    for (let index = this.#skipMark(chunk); index < chunk.length; index++) {
      const byte = chunk[index];
      if (this.#at === 'quoted') {
        if (byte === QUOTE) this.#at = 'quote';
      } else if (byte === COMMA) {
        this.#fields++;
        this.#at = 'start';
      } else if (byte === LF || byte === CR) {
        this.#endLine();
      } else if (byte === QUOTE && this.#at !== 'plain') {
        this.#at = 'quoted';
      } else {
        this.#at = 'plain';
      }
    }
  }

  /** Ends the input. Null if a quote was never closed. */
  end(): CsvShape | null {
    if (this.#at === 'quoted') return null;
    this.#endLine();
    return { rowCount: Math.max(0, this.#records - 1), columnCount: this.#columnCount };
  }

  #endLine(): void {
    // an empty line, or the second half of CR LF
    if (this.#at === 'start' && this.#fields === 0) return;
    if (this.#records === 0) this.#columnCount = this.#fields + 1;
    this.#records++;
    this.#fields = 0;
    this.#at = 'start';
  }

  /** @returns the index where the text begins; an incomplete mark counts as the start of a plain field */
  #skipMark(chunk: Uint8Array): number {
    let index = 0;
    while (index < chunk.length && this.#markBytes < UTF8_MARK.length) {
      if (chunk[index] !== UTF8_MARK[this.#markBytes]) {
        if (this.#markBytes > 0) this.#at = 'plain';
        this.#markBytes = UTF8_MARK.length;
        break;
      }
      this.#markBytes++;
      index++;
    }
    return index;
  }
}

/**
 * The beginning of a table as a text in which words can be found: whole rows, one a line, cells set apart by tabs.
 * It is made while the table is downloaded, from bytes that are in memory then: to read the file again would cost a
 * request of a bucket for each table.
 */

/** Of UTF-16, which has two bytes where UTF-8 has one. */
export const HEAD_BYTES = 2 * MAX_TABLE_TEXT_BYTES + 2;

/**
 * Null where the bytes are no text. Of a table that is longer the rows that fit as a whole; of a first row that does
 * not fit, its cells or words. So no word and no URL is cut.
 *
 * @param head the first bytes of a CSV, or all of it
 * @param encoding where it has been told already
 */
export function textOfTable(
  head: Uint8Array,
  isWhole: boolean,
  encoding = textEncodingOf(head.subarray(0, HEAD_BYTES)),
): string | null {
  if (encoding === null) return null;
  const beginning = head.subarray(0, encoding === 'utf-8' ? MAX_TABLE_TEXT_BYTES : HEAD_BYTES);
  const lines = linesOf(decodeText(beginning, encoding));
  const isAll = isWhole && beginning.length === head.length;
  if (isAll && Buffer.byteLength(lines) <= MAX_TABLE_TEXT_BYTES) return lines.trimEnd();
  const text = decodeText(Buffer.from(lines).subarray(0, MAX_TABLE_TEXT_BYTES), 'utf-8');
  const end = text.lastIndexOf('\n');
  if (end >= 0) return text.slice(0, end);
  return text.slice(0, Math.max(0, text.lastIndexOf('\t'), text.lastIndexOf(' ')));
}

/** A cell in quotes, of which the last may be missing. */
const QUOTED = /"([^"]*(?:""[^"]*)*)(?:"|$)/y;

/** Lenient as what counts the rows: a quote within a cell is a character like any other. */
function linesOf(csv: string): string {
  let lines = '';
  let at = 0;
  for (let open = quotedFrom(csv, at); open >= 0; open = quotedFrom(csv, at)) {
    QUOTED.lastIndex = open;
    const [whole = '"', cell = ''] = QUOTED.exec(csv) ?? [];
    lines += plainLines(csv.slice(at, open));
    lines += cell.replaceAll('""', '"').replace(/[\t\r\n]/g, ' ');
    at = open + whole.length;
  }
  return (lines + plainLines(csv.slice(at))).replace(/\n\n+/g, '\n');
}

/** Where the next cell in quotes begins; below 0 where none does. */
function quotedFrom(csv: string, from: number): number {
  let open = csv.indexOf('"', from);
  while (open > 0 && !',\r\n'.includes(csv.charAt(open - 1))) open = csv.indexOf('"', open + 1);
  return open;
}

/** Without a cell in quotes. */
function plainLines(csv: string): string {
  return csv.replaceAll(',', '\t').replaceAll('\r\n', '\n').replaceAll('\r', '\n');
}

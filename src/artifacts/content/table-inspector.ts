/** Reads a table as it streams by: its encoding and layout, its rows and columns, and its beginning for searches. Never fails, so that an odd table is still archived. */
import { isAscii, isUtf8 } from 'node:buffer';
import { MAX_TABLE_TEXT_BYTES } from '../../model/tables.js';
import { CsvCounter, csvRecords, type CsvShape } from './csv-records.js';
import { layoutOf, type TableLayout } from './table-layout.js';
import { textOfTable } from './table-text.js';
import {
  decodeText,
  decoderOf,
  textEncodingOf,
  UNKNOWN_ENCODING,
  withoutCutCharacter,
  type StreamDecoder,
  type TextEncoding,
} from './text-encoding.js';

export interface TableFacts extends TableLayout {
  readonly encoding: TextEncoding;
  /** Null if it cannot be read as CSV to its end. */
  readonly shape: CsvShape | null;
  /** For searches: see `textOfTable`. */
  readonly text: string | null;
}

/** Enough to tell encoding and layout. */
const HEAD_BYTES = 64 * 1024;
const UTF8_MARK = [0xef, 0xbb, 0xbf] as const;

export class TableInspector {
  readonly #charset: string | null;
  readonly #head: Uint8Array[] = [];
  #bytes = 0;
  #begun: BegunTable | null | undefined;

  /** @param charset of the response */
  constructor(charset: string | null = null) {
    this.#charset = charset;
  }

  write(chunk: Uint8Array): void {
    this.#bytes += chunk.length;
    if (this.#begun !== undefined) {
      this.#begun?.write(chunk);
      return;
    }
    this.#head.push(chunk);
    if (this.#bytes >= HEAD_BYTES) this.#begin(false);
  }

  /** Ends the input. Null if the bytes are no text. */
  end(): TableFacts | null {
    if (this.#begun === undefined) this.#begin(true);
    return this.#begun?.end() ?? null;
  }

  #begin(isWhole: boolean): void {
    const head = Buffer.concat(this.#head.splice(0));
    const encoding = textEncodingOf(head, { charset: this.#charset, isWhole });
    this.#begun =
      encoding === null
        ? null
        : new BegunTable(head, { encoding, isWhole, charset: this.#charset });
  }
}

interface Beginning {
  readonly encoding: TextEncoding;
  /** Whether the head is all of the table. */
  readonly isWhole: boolean;
  readonly charset: string | null;
}

class BegunTable {
  readonly #head: Uint8Array;
  readonly #isWhole: boolean;
  readonly #charset: string | null;
  readonly #layout: TableLayout;
  readonly #counter: CsvCounter;
  #encoding: TextEncoding;
  /** The decoder of bytes that are not UTF-8. */
  #decoder: StreamDecoder | undefined;
  /** Whether nothing but ASCII came so far, which is the same in most encodings. */
  #isAscii: boolean;
  /** The beginning of a UTF-8 character whose end is in the next chunk. */
  #cut: Uint8Array = new Uint8Array();

  constructor(head: Buffer, { encoding, isWhole, charset }: Beginning) {
    // one byte more tells that it is not all
    this.#head = Buffer.from(head.subarray(0, MAX_TABLE_TEXT_BYTES + 1));
    this.#isWhole = isWhole;
    this.#charset = charset;
    this.#encoding = encoding;
    this.#isAscii = encoding === 'utf-8' && isAscii(head);
    const start = head.subarray(0, MAX_TABLE_TEXT_BYTES);
    const text = decodeText(start, encoding);
    this.#layout = layoutOf(text, isWhole && start.length === head.length);
    this.#counter = new CsvCounter(this.#layout.separator, recordsAbove(text, this.#layout));
    this.#decoder = decoderFor(encoding);
    const hasMark = UTF8_MARK.every((byte, at) => head[at] === byte);
    this.write(hasMark ? head.subarray(UTF8_MARK.length) : head);
  }

  write(chunk: Uint8Array): void {
    if (!this.#decoder) this.#checkUtf8(chunk);
    if (this.#decoder) this.#writeDecoded(chunk, this.#decoder);
    else this.#counter.write(chunk);
  }

  end(): TableFacts {
    if (this.#encoding === 'utf-8' && this.#cut.length > 0) this.#tellEncoding(this.#cut, true);
    const encoding = this.#encoding;
    const { separator, headingLine } = this.#layout;
    return {
      encoding,
      separator,
      headingLine,
      shape: this.#counter.end(),
      text: textOfTable(this.#head, this.#isWhole, { encoding, separator }),
    };
  }

  #checkUtf8(chunk: Uint8Array): void {
    if (this.#encoding !== 'utf-8' || (this.#isAscii && isAscii(chunk))) return;
    const bytes = this.#cut.length === 0 ? chunk : Buffer.concat([this.#cut, chunk]);
    const whole = withoutCutCharacter(bytes);
    if (isUtf8(whole)) {
      this.#isAscii &&= isAscii(whole);
      this.#cut = Buffer.from(bytes.subarray(whole.length));
    } else this.#tellEncoding(bytes);
  }

  /** The text was taken for UTF-8, and is not. What was ASCII is so in another encoding, too. */
  #tellEncoding(bytes: Uint8Array, isWhole = false): void {
    const encoding = this.#isAscii
      ? textEncodingOf(bytes, { charset: this.#charset, isWhole })
      : UNKNOWN_ENCODING;
    this.#encoding = encoding ?? UNKNOWN_ENCODING;
    this.#decoder = decoderFor(this.#encoding);
  }

  #writeDecoded(chunk: Uint8Array, decoder: StreamDecoder): void {
    try {
      this.#counter.write(Buffer.from(decoder.decode(chunk)));
    } catch {
      // separators, quotes and line ends are ASCII in nearly all encodings
      this.#encoding = UNKNOWN_ENCODING;
      this.#decoder = undefined;
      this.#counter.write(chunk);
    }
  }
}

/** Undefined where the bytes are counted as they are. */
function decoderFor(encoding: TextEncoding): StreamDecoder | undefined {
  const isRead = encoding === 'utf-8' || encoding === UNKNOWN_ENCODING;
  return isRead ? undefined : decoderOf(encoding, { isStrict: true });
}

function recordsAbove(text: string, { separator, headingLine }: TableLayout): number {
  let above = 0;
  for (const { line } of csvRecords(text, separator)) {
    if (headingLine === null || line >= headingLine) break;
    above++;
  }
  return above;
}

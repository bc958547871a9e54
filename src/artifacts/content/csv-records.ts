/**
 * Splits a CSV into records and fields, as a text and as bytes that stream by. Lenient, so that an odd table is still
 * read: a quote within a field is a character like any other, and empty lines are no records.
 */

export interface CsvRecord {
  /** Where it begins, from 1. */
  readonly line: number;
  readonly cells: readonly string[];
  /** Whether an empty line is before it. */
  readonly isAfterEmptyLine: boolean;
}

const [LF, CR, QUOTE] = [0x0a, 0x0d, 0x22];

/** @param separator one ASCII character */
export function* csvRecords(text: string, separator: string): Generator<CsvRecord> {
  const separatorCode = separator.charCodeAt(0);
  const endOfField = (from: number): number => {
    let at = from;
    for (; at < text.length; at++) {
      const code = text.charCodeAt(at);
      if (code === separatorCode || code === LF || code === CR) break;
    }
    return at;
  };
  let at = 0;
  let line = 1;
  let isAfterEmptyLine = false;
  while (at < text.length) {
    const cells: string[] = [];
    const start = at;
    const firstLine = line;
    for (;;) {
      if (text.charCodeAt(at) === QUOTE) {
        const close = closingQuote(text, at);
        const end = endOfField(Math.min(close + 1, text.length));
        const sent = text.slice(at, end);
        // what follows a closing quote makes all of it a plain field
        cells.push(end <= close + 1 ? text.slice(at + 1, close).replaceAll('""', '"') : sent);
        line += lineEndsIn(sent);
        at = end;
      } else {
        const end = endOfField(at);
        cells.push(text.slice(at, end));
        at = end;
      }
      if (text.charCodeAt(at) !== separatorCode) break;
      at++;
    }
    const isEmpty = at === start;
    if (!isEmpty) yield { line: firstLine, cells, isAfterEmptyLine };
    isAfterEmptyLine = isEmpty;
    at += text.charCodeAt(at) === CR && text.charCodeAt(at + 1) === LF ? 2 : 1;
    line++;
  }
}

/** The end of the text where the quote is never closed. */
function closingQuote(text: string, open: number): number {
  for (let from = open + 1; ;) {
    const close = text.indexOf('"', from);
    if (close < 0) return text.length;
    if (text.charCodeAt(close + 1) !== QUOTE) return close;
    from = close + 2;
  }
}

function lineEndsIn(field: string): number {
  return field.match(/\r\n|\r|\n/g)?.length ?? 0;
}

export interface CsvShape {
  /** Records after the heading. */
  readonly rowCount: number;
  /** Fields of the widest record from the heading on. */
  readonly columnCount: number;
}

/**
 * State of the counter within a field. `quote`: after a quote inside a quoted field, which either closes
 * the field or is the first half of an escaped quote.
 */
type FieldState = 'start' | 'plain' | 'quoted' | 'quote';

/** Counts the records and columns of a CSV in UTF-8, without a byte order mark, as it streams by. */
export class CsvCounter {
  readonly #separator: number;
  /** Records above the heading, which are yet to come. */
  #above: number;
  #at: FieldState = 'start';
  /** Finished fields of the current record. */
  #fields = 0;
  #records = 0;
  #columnCount = 0;

  /** @param separator one ASCII character @param above how many records are above the heading */
  constructor(separator: string, above = 0) {
    this.#separator = separator.charCodeAt(0);
    this.#above = above;
  }

  write(chunk: Uint8Array): void {
    const separator = this.#separator;
    for (const byte of chunk) {
      if (this.#at === 'quoted') {
        if (byte === QUOTE) this.#at = 'quote';
      } else if (byte === separator) {
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
    if (this.#above > 0) this.#above--;
    else {
      this.#columnCount = Math.max(this.#columnCount, this.#fields + 1);
      this.#records++;
    }
    this.#fields = 0;
    this.#at = 'start';
  }
}

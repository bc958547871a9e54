/** A workbook of ours without some of its rows; every other character stays as it is. */
import { parseJson } from '../../base/parse-json.js';
import type { ByteSink, ByteSource } from '../format.js';
import { FormatError } from '../format-error.js';
import { escapeForExcel, escapeForXml } from './excel-text.js';
import { zipParts, type ZipPart } from './zip-reader.js';
import { ZipWriter } from './zip-writer.js';

/** What a row says of whose it is; null where its table has no such column, or the cell is empty. */
export interface SheetRow {
  readonly user: string | null;
  readonly session: string | null;
}

export interface FilteredWorkbook {
  /** Of all tables; the rows of `long_text` are not among them. */
  readonly rows: number;
  readonly dropped: number;
}

const SHEET = /^xl\/worksheets\/sheet\d+\.xml$/;
const ROW_END = '</row>';
const CHUNK_CHARACTERS = 128 * 1024;

/** Memory is bounded by a row. @throws {FormatError} it is no workbook of ours */
export async function filterWorkbook(
  source: ByteSource,
  sink: ByteSink,
  isKept: (row: SheetRow) => boolean,
): Promise<FilteredWorkbook> {
  const zip = new ZipWriter(sink);
  let [rows, dropped] = [0, 0];
  for (const part of await zipParts(source)) {
    const entry = await zip.begin(part.path);
    if (SHEET.test(part.path)) {
      const sheet = new SheetFilter(entry, isKept);
      await sheet.copy(part);
      dropped += sheet.dropped;
      if (!sheet.isLongText) rows += sheet.rows - 1;
    } else {
      for await (const chunk of part.read()) await entry.write(chunk);
    }
    await entry.end();
  }
  await zip.finish();
  return { rows, dropped };
}

class SheetFilter {
  /** The header among them. */
  rows = 0;
  dropped = 0;
  #columns: readonly string[] = [];
  #chunk = '';

  constructor(
    readonly sink: ByteSink,
    readonly isKept: (row: SheetRow) => boolean,
  ) {}

  get isLongText(): boolean {
    return this.#columns.join() === 'table,key,part,text';
  }

  async copy(part: ZipPart): Promise<void> {
    const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });
    let rest = '';
    for await (const chunk of part.read()) {
      const pieces = (rest + decoder.decode(chunk, { stream: true })).split(ROW_END);
      rest = pieces.pop() ?? '';
      for (const piece of pieces) await this.#take(piece);
    }
    const end = rest + decoder.decode();
    await this.#write(end.replace(/(<autoFilter ref="A1:[A-Z]+)\d+"/, `$1${this.rows}"`));
    await this.#flush();
  }

  /** @param piece a row without its end; the first comes with all that stands before it */
  async #take(piece: string): Promise<void> {
    const at = piece.indexOf('<row ');
    if (at < 0)
      throw new FormatError('A sheet of the workbook has no rows as jobvault writes them');
    const row = piece.slice(at);
    if (this.rows === 0) this.#columns = [...row.matchAll(CELL)].map(([, , text = '']) => text);
    else if (!this.isKept(this.#rowOf(row))) {
      this.dropped++;
      return;
    }
    const number = ++this.rows;
    const renumbered = row
      .replace(/^<row r="\d+"/, `<row r="${number}"`)
      .replace(/<c r="([A-Z]+)\d+"/g, `<c r="$1${number}"`);
    await this.#write(piece.slice(0, at) + renumbered + ROW_END);
  }

  #rowOf(row: string): SheetRow {
    const cells = new Map(
      [...row.matchAll(CELL)].map(([, letter = '', text = '']) => [letter, unescaped(text)]),
    );
    const cell = (column: string): string | null => {
      const index = this.#columns.indexOf(column);
      return index < 0 ? null : (cells.get(String.fromCharCode(65 + index)) ?? null);
    };
    if (!this.isLongText) return { user: cell('user_id'), session: cell('session_id') };
    const key = parseJson(cell('key') ?? '{}') as Record<string, unknown>;
    const text = (value: unknown) => (typeof value === 'string' ? value : null);
    return { user: text(key['user_id']), session: text(key['session_id']) };
  }

  async #write(text: string): Promise<void> {
    this.#chunk += text;
    if (this.#chunk.length >= CHUNK_CHARACTERS) await this.#flush();
  }

  async #flush(): Promise<void> {
    const bytes = Buffer.from(this.#chunk, 'utf8');
    this.#chunk = '';
    await this.sink.write(bytes);
  }
}

/** A cell with a text; keys stand in the first 26 columns. Nothing in a text looks like a tag. */
const CELL = /<c r="([A-Z])\d+"[^>]*t="inlineStr"><is><t xml:space="preserve">([^<]*)<\/t>/g;

/** The inverse of `escapeForXml` and `escapeForExcel`. */
function unescaped(text: string): string {
  const plain = text.replaceAll('&lt;', '<').replaceAll('&gt;', '>').replaceAll('&amp;', '&');
  const value = plain.replace(/_x([0-9A-Fa-f]{4})_/g, (_escape, code: string) =>
    String.fromCharCode(parseInt(code, 16)),
  );
  // what would not be written like this was not meant as an escape
  return escapeForXml(escapeForExcel(value)) === text ? value : plain;
}

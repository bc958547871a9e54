/** The tables that a piece shows: the same file is shown twice as a rule, in the analysis and in the answer, and kept once. */
import type { Row } from '../model/table-schema.js';
import { readNamed } from '../archive/checked-objects.js';
import type { Storage } from '../storage/storage.js';
import { numberIn } from './tallies.js';
import { MOST_COLUMNS, type TableView } from './page-data.js';
import { rowsOf } from '../artifacts/content/table-layout.js';
import { decodeText, UNKNOWN_ENCODING } from '../artifacts/content/text-encoding.js';
import { textIn } from '../model/mask-secrets.js';
import { foldText } from '../base/text/fold-text.js';
import { textOfTable } from '../artifacts/content/table-text.js';
import { wordsShown } from './words-of-table.js';
import { withoutSecrets } from '../model/url-secrets.js';

export class PieceTables {
  readonly views: TableView[] = [];
  /** Of the piece so far. */
  characters = 0;
  readonly #places = new Map<string, number | null>();
  readonly #previews: TablePreviews;

  constructor(previews: TablePreviews) {
    this.#previews = previews;
  }

  /** Its place among `views`; null where the file does not read as a table. */
  async add(artifact: Row, path: string): Promise<number | null> {
    const before = this.#places.get(path);
    if (before !== undefined) return before;
    const view = await this.#previews.take(artifact, path);
    if (view) this.characters += JSON.stringify(view).length;
    const place = view ? this.views.push(view) - 1 : null;
    this.#places.set(path, place);
    return place;
  }
}

/** Previews of a session's tables, which may be read before they are needed: opening many small files is mostly waiting. */
export class TablePreviews {
  readonly #begun = new Map<string, Promise<TableView | null>>();
  readonly #storage: Storage;

  constructor(storage: Storage) {
    this.#storage = storage;
  }

  /** Begins to read it, unless that has begun. */
  begin(artifact: Row, path: string): void {
    if (this.#begun.has(path)) return;
    const view = this.#read(artifact, path);
    view.catch(() => undefined); // thrown where it is taken, if it is
    this.#begun.set(path, view);
  }

  /** @throws {IntegrityError | StorageError} */
  async take(artifact: Row, path: string): Promise<TableView | null> {
    const begun = this.#begun.get(path);
    this.#begun.delete(path);
    return begun ?? this.#read(artifact, path);
  }

  #read(artifact: Row, path: string): Promise<TableView | null> {
    return previewTable(this.#storage, {
      path,
      bytes: numberIn(artifact, 'bytes') ?? 0,
      rowCount: numberIn(artifact, 'row_count'),
      columnCount: numberIn(artifact, 'column_count'),
      encoding: textIn(artifact, 'encoding'),
      separator: textIn(artifact, 'separator'),
      headingLine: numberIn(artifact, 'heading_line'),
    });
  }
}

/** The first rows of an archived table, for the page. */

/** Shown of each table: rows, characters of a cell. */
const ROWS = 100;
const CELL_CHARACTERS = 300;
/** Read of each file: enough for the rows of all but the widest tables. */
const BYTES = 256 * 1024;

/** As the archive has it. */
export interface PreviewedFile {
  readonly path: string;
  readonly bytes: number;
  readonly rowCount: number | null;
  readonly columnCount: number | null;
  readonly encoding: string | null;
  readonly separator: string | null;
  readonly headingLine: number | null;
}

/** Null where the file does not read as a table. @throws {IntegrityError | StorageError} it is missing, or cannot be read */
export async function previewTable(
  storage: Storage,
  file: PreviewedFile,
): Promise<TableView | null> {
  const { bytes, encoding, separator, headingLine } = file;
  if (encoding === null || separator === null) return null;
  const end = Math.min(bytes, BYTES);
  const chunks: Uint8Array[] = [];
  if (end > 0) {
    for await (const chunk of readNamed(storage, file, { start: 0, end })) chunks.push(chunk);
  }
  const head = Buffer.concat(chunks);
  const text = decodeText(head, encoding);
  const read = rowsOf(text, { separator, headingLine }, ROWS + 1);
  // the last row of what is cut may be part of one
  const isCut = end < bytes && read.rows.length <= ROWS;
  const rows = read.rows.slice(0, isCut ? -1 : ROWS);
  const widest = [read.heading, ...rows].reduce((most, row) => Math.max(most, row.length), 0);
  const shown = {
    above: read.above.map(shownCell),
    header: shownCells(read.heading),
    rows: rows.map(shownCells),
  };
  const searched = textOfTable(head, end === bytes, { encoding, separator });
  const words = foldText(withoutSecrets(searched ?? ''));
  return {
    ...shown,
    rowCount: file.rowCount ?? (end === bytes ? rows.length : null),
    columnCount: Math.max(file.columnCount ?? 0, widest),
    encoding: encoding === UNKNOWN_ENCODING ? null : encoding,
    hasDecimalComma: separator === ';',
    words: words === wordsShown(shown) ? null : words,
  };
}

function shownCells(cells: readonly string[]): string[] {
  return cells.slice(0, MOST_COLUMNS).map(shownCell);
}

function shownCell(cell: string): string {
  const shown = withoutSecrets(cell);
  return shown.length > CELL_CHARACTERS ? `${shown.slice(0, CELL_CHARACTERS)}…` : shown;
}

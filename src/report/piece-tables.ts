/** The tables that a piece shows: the same file is shown twice as a rule, in the analysis and in the answer, and kept once. */
import type { Row } from '../model/table-schema.js';
import { readNamed } from '../archive/checked-objects.js';
import type { Storage } from '../storage/storage.js';
import { numberIn } from './tallies.js';
import type { TableView } from './page-data.js';
import { parse } from 'csv-parse/sync';
import { decodeText, textEncodingOf } from '../artifacts/content/table-text.js';
import { withoutSecrets } from '../model/mask-secrets.js';

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
    const bytes = numberIn(artifact, 'bytes') ?? 0;
    return previewTable(this.#storage, { path, bytes, rowCount: numberIn(artifact, 'row_count') });
  }
}

/** The first rows of an archived table, for the page. */

/** Shown of each table: rows, columns, characters of a cell. */
const ROWS = 100;
const COLUMNS = 50;
const CELL_CHARACTERS = 300;
/** Read of each file: enough for the rows of all but the widest tables. */
const BYTES = 256 * 1024;

export interface PreviewedFile {
  readonly path: string;
  readonly bytes: number;
  /** As the archive has counted them. */
  readonly rowCount: number | null;
}

/** Null where the file does not read as a table. @throws {IntegrityError | StorageError} it is missing, or cannot be read */
export async function previewTable(
  storage: Storage,
  file: PreviewedFile,
): Promise<TableView | null> {
  const end = Math.min(file.bytes, BYTES);
  const chunks: Uint8Array[] = [];
  if (end > 0) {
    for await (const chunk of readNamed(storage, file, { start: 0, end })) chunks.push(chunk);
  }
  const head = Buffer.concat(chunks);
  const encoding = textEncodingOf(head);
  if (encoding === null) return null;
  const records = recordsOf(decodeText(head, encoding), end < file.bytes);
  if (!records) return null;
  const [header = [], ...rows] = records;
  const widest = records.reduce((most, record) => Math.max(most, record.length), 0);
  return {
    header: shortened(header),
    rows: rows.slice(0, ROWS).map(shortened),
    rowCount: file.rowCount ?? (end === file.bytes ? rows.length : null),
    columnCount: widest,
  };
}

/** @param isCut the text goes on where it ends: the last record is not whole */
function recordsOf(text: string, isCut: boolean): string[][] | null {
  try {
    const records = parse(text, {
      // lenient, and the same as what has counted the rows
      bom: true,
      relax_column_count: true,
      relax_quotes: true,
      skip_empty_lines: true,
      record_delimiter: ['\r\n', '\n', '\r'],
      to: ROWS + 2,
    });
    return isCut && records.length < ROWS + 2 ? records.slice(0, -1) : records;
  } catch {
    // a quote that is closed beyond what was read
    return isCut ? recordsOf(text.slice(0, text.lastIndexOf('\n')), false) : null;
  }
}

function shortened(record: readonly string[]): string[] {
  return record
    .slice(0, COLUMNS)
    .map(withoutSecrets)
    .map((cell) => (cell.length > CELL_CHARACTERS ? `${cell.slice(0, CELL_CHARACTERS)}…` : cell));
}

/** The first rows of an archived table, for the page. */
import { readNamed } from '../archive/objects/checked-objects.js';
import type { Storage } from '../storage/storage.js';
import { MOST_COLUMNS, type TableView } from './page-data.js';
import { rowsOf } from '../artifacts/content/table-layout.js';
import { decodeText, UNKNOWN_ENCODING } from '../artifacts/content/text-encoding.js';
import { foldText } from '../base/text/fold-text.js';
import { textOfTable } from '../artifacts/content/table-text.js';
import { textShown } from './words-of-table.js';
import { withoutSecrets } from '../model/urls/url-secrets.js';

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
  return {
    ...shown,
    rowCount: file.rowCount ?? (end === bytes ? rows.length : null),
    columnCount: Math.max(file.columnCount ?? 0, widest),
    encoding: encoding === UNKNOWN_ENCODING ? null : encoding,
    hasDecimalComma: separator === ';',
    words: wordsBeyond(textShown(shown), withoutSecrets(searched ?? '')),
  };
}

/** Null where what is shown has the same words; where it is the same text, nothing is folded here. */
function wordsBeyond(shown: string, searched: string): string | null {
  if (shown === searched) return null;
  const words = foldText(searched);
  return words === foldText(shown) ? null : words;
}

function shownCells(cells: readonly string[]): string[] {
  return cells.slice(0, MOST_COLUMNS).map(shownCell);
}

function shownCell(cell: string): string {
  const shown = withoutSecrets(cell);
  return shown.length > CELL_CHARACTERS ? `${shown.slice(0, CELL_CHARACTERS)}…` : shown;
}

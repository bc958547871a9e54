/** Formats rows of a result as CSV or JSON, batch by batch. */
import { csvField, csvFieldPieces, type CsvSeparator, verbatimField } from '../base/text/csv.js';
import { parseJson } from '../base/text/parse-json.js';
import { piecesOf, SHOWN_CHARACTERS } from '../base/text/short-texts.js';
import type { ResultColumn } from './result-columns.js';
import type { ResultRow } from './query-result.js';

export interface CsvForm {
  /** Default: a comma. */
  readonly separator?: CsvSeparator | undefined;
  /** `1,5` instead of `1.5`. Default false. */
  readonly hasDecimalComma?: boolean | undefined;
  /** `2026-01-08 22:01:48` instead of `2026-01-08T22:01:48.314000Z`: a spreadsheet takes only that for a time. Default false. */
  readonly hasPlainTimes?: boolean | undefined;
  /** Ids as they are, whatever a spreadsheet would make of them. Default false. */
  readonly hasPlainKeys?: boolean | undefined;
}

/** Columns of ids by name: what they are joined by must not be changed. */
const KEY = /_id$|^person$/i;

/**
 * A header and one line per row, quoted by RFC 4180: null is an empty field, an empty text `""`. An apostrophe
 * precedes text that a spreadsheet would read as a formula (`base/csv.ts`).
 */
export async function* csvText(
  columns: readonly ResultColumn[],
  batches: AsyncIterable<readonly ResultRow[]>,
  form: CsvForm = {},
): AsyncGenerator<string> {
  const { separator = ',' } = form;
  yield `${columns.map(({ name }) => csvField(name, separator)).join(separator)}\n`;
  for await (const rows of batches) yield* inPieces(rows, (row) => csvPieces(columns, row, form));
}

/** One object per line. */
export async function* jsonLines(
  columns: readonly ResultColumn[],
  batches: AsyncIterable<readonly ResultRow[]>,
): AsyncGenerator<string> {
  for await (const rows of batches) yield* inPieces(rows, (row) => jsonPieces(columns, row, '\n'));
}

/** One array of objects. @param between the separator: a comma, with or without a line end */
export async function* jsonArray(
  columns: readonly ResultColumn[],
  batches: AsyncIterable<readonly ResultRow[]>,
  between = ',',
): AsyncGenerator<string> {
  let before = '[';
  for await (const rows of batches) {
    if (rows.length === 0) continue;
    yield before;
    yield* inPieces(rows, (row, index) =>
      jsonPieces(columns, row, index + 1 < rows.length ? between : ''),
    );
    before = between;
  }
  yield before === '[' ? '[]' : ']';
}

/** Pieces of a batch together, but none of a cell that may be as long as a record: a copy of it takes as much again. */
function* inPieces(
  rows: readonly ResultRow[],
  piecesOfRow: (row: ResultRow, index: number) => Iterable<string>,
): Generator<string> {
  let waiting: string[] = [];
  for (const [index, row] of rows.entries()) {
    if (row.some(isLong)) {
      yield waiting.join('');
      waiting = [];
      yield* piecesOfRow(row, index);
    } else waiting.push(...piecesOfRow(row, index));
  }
  if (waiting.length > 0) yield waiting.join('');
}

function isLong(cell: string | null): boolean {
  return cell !== null && cell.length > SHOWN_CHARACTERS;
}

function* jsonPieces(
  columns: readonly ResultColumn[],
  row: ResultRow,
  end: string,
): Generator<string> {
  let before = '{';
  for (const [index, column] of columns.entries()) {
    const cell = row[index] ?? null;
    const start = `${before}${JSON.stringify(column.name)}:`;
    before = ',';
    if (column.form === 'text' && cell !== null && isLong(cell)) {
      yield `${start}"`;
      for (const piece of piecesOf(cell)) yield JSON.stringify(piece).slice(1, -1);
      yield '"';
    } else yield start + jsonCell(column, cell);
  }
  yield `}${end}`;
}

function jsonCell({ form }: ResultColumn, cell: string | null): string {
  if (cell === null) return 'null';
  // infinities are not JSON: they become texts
  if (form === 'text' || !isJson(cell)) return JSON.stringify(cell);
  // line ends in JSON are only between tokens, and a row is one line
  return cell.replace(/[\r\n][\r\n]*/g, ' ');
}

function isJson(text: string): boolean {
  try {
    parseJson(text);
    return true;
  } catch {
    return false;
  }
}

/** Infinities and years before Christ stay as they are. */
const TIME = /^(\d{4}-\d\d-\d\d)[T ](\d\d:\d\d:\d\d)(?:\.\d{1,9})?Z?$/;

/** Whether each value of a column is one time. @param type DuckDB's */
export function isTime(type: string): boolean {
  return /^TIMESTAMP(?!.*\])/.test(type);
}

function* csvPieces(
  columns: readonly ResultColumn[],
  row: ResultRow,
  {
    separator = ',',
    hasDecimalComma = false,
    hasPlainTimes = false,
    hasPlainKeys = false,
  }: CsvForm,
): Generator<string> {
  for (const [index, { name, form, type }] of columns.entries()) {
    if (index > 0) yield separator;
    const cell = row[index] ?? null;
    if (cell === null) continue;
    if (hasPlainTimes && isTime(type)) yield csvField(cell.replace(TIME, '$1 $2'), separator);
    else if (hasPlainKeys && KEY.test(name)) yield verbatimField(cell, separator);
    else if (isLong(cell)) yield* csvFieldPieces(cell, separator);
    else if (form !== 'number') yield csvField(cell, separator);
    else if (!hasDecimalComma) yield cell;
    else {
      const number = cell.replace('.', ',');
      yield number.includes(separator) ? `"${number}"` : number;
    }
  }
  yield '\n';
}

/** Formats rows of a result as CSV or JSON, batch by batch. */
import { csvField, type CsvSeparator } from '../base/text/csv.js';
import { parseJson } from '../base/text/parse-json.js';
import type { ResultColumn, ResultRow } from './result-columns.js';

export interface CsvForm {
  /** Default: a comma. */
  readonly separator?: CsvSeparator | undefined;
  /** `1,5` instead of `1.5`. Default false. */
  readonly hasDecimalComma?: boolean | undefined;
}

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
  for await (const rows of batches) yield rows.map((row) => csvRow(columns, row, form)).join('');
}

/** One object per line. */
export async function* jsonLines(
  columns: readonly ResultColumn[],
  batches: AsyncIterable<readonly ResultRow[]>,
): AsyncGenerator<string> {
  for await (const rows of batches) yield rows.map((row) => `${jsonRow(columns, row)}\n`).join('');
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
    yield before + rows.map((row) => jsonRow(columns, row)).join(between);
    before = between;
  }
  yield before === '[' ? '[]' : ']';
}

function jsonRow(columns: readonly ResultColumn[], row: ResultRow): string {
  const members = columns.map(
    (column, index) => `${JSON.stringify(column.name)}:${jsonCell(column, row[index] ?? null)}`,
  );
  return `{${members.join(',')}}`;
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

function csvRow(
  columns: readonly ResultColumn[],
  row: ResultRow,
  { separator = ',', hasDecimalComma = false }: CsvForm,
): string {
  const fields = columns.map(({ form }, index) => {
    const cell = row[index] ?? null;
    if (cell === null) return '';
    if (form !== 'number') return csvField(cell, separator);
    if (!hasDecimalComma) return cell;
    const number = cell.replace('.', ',');
    return number.includes(separator) ? `"${number}"` : number;
  });
  return `${fields.join(separator)}\n`;
}

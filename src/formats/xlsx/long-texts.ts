/** Texts that are too long for a cell: the cell has the beginning, the sheet `long_text` the whole text in parts. */
import { type Column, type Row, type TableSchema, defineTable } from '../../model/table-schema.js';
import { escapeForExcel, escapedLengthAt } from './excel-text.js';

/** Excel's limit, in UTF-16 code units of the escaped text. Excel refuses a workbook with a longer cell. */
const MAX_CELL_LENGTH = 32_767;

/** The end of a truncated cell. */
const CONTINUED = '… [the whole text is in the sheet long_text]';

/** `key` is JSON: the row's key columns and `column`. The parts are numbered from 1. */
export const longTextTable = defineTable('long_text', {
  key: { table: 'string', key: 'string', part: 'int32' },
  rest: { text: 'string' },
});

export function isLong(text: string): boolean {
  if (text.length > MAX_CELL_LENGTH) return true;
  return text.length * 7 > MAX_CELL_LENGTH && escapeForExcel(text).length > MAX_CELL_LENGTH;
}

/** The cell's content for a long text: its first part and the mark. */
export function firstPartOf(text: string): string {
  const [first = ''] = partsOf(text);
  return first + CONTINUED;
}

/** The row's long texts as rows of `long_text`. @param ordinal the row's number in its table, from 1 */
export function* longTextRows(table: TableSchema, row: Row, ordinal: number): Generator<Row> {
  for (const column of table.columns) {
    const value = row[column.name];
    if (typeof value !== 'string') continue;
    const text = value.toWellFormed();
    if (!isLong(text)) continue;
    const key = keyOf(table, row, column, ordinal);
    let part = 0;
    for (const piece of partsOf(text)) {
      part++;
      yield { table: table.name, key, part, text: piece };
    }
  }
}

/** A key that is itself too long is replaced by the row's number in its table. */
function keyOf(table: TableSchema, row: Row, { name }: Column, ordinal: number): string {
  const keys = table.columns
    .filter(({ isKey }) => isKey)
    .map((column) => {
      const value = row[column.name];
      return [column.name, typeof value === 'number' ? value : String(value).toWellFormed()];
    });
  const key = JSON.stringify({ ...Object.fromEntries(keys), column: name });
  return isLong(key) ? JSON.stringify({ row: ordinal, column: name }) : key;
}

/** Parts that fit a cell, the first with room for the mark; no surrogate pair is split. */
function* partsOf(text: string): Generator<string> {
  let start = 0;
  let room = MAX_CELL_LENGTH - CONTINUED.length;
  for (let at = 0; at < text.length;) {
    const units = (text.codePointAt(at) ?? 0) > 0xffff ? 2 : 1;
    const length = units === 2 ? 2 : escapedLengthAt(text, at);
    if (length > room) {
      yield text.slice(start, at);
      start = at;
      room = MAX_CELL_LENGTH;
    }
    room -= length;
    at += units;
  }
  yield text.slice(start);
}

/** Texts that are too long for a cell: the cell keeps the beginning, the sheet `long_text` all of it in parts. */
import type { Column, Row, TableSchema } from '../../model/table-schema.js';
import { defineTable } from '../../model/table-schema.js';
import { wellFormed } from '../well-formed.js';
import { escapedLengthAt, escapeForExcel } from './excel-text.js';

/** Excel refuses a workbook with a longer cell. In UTF-16 code units; escapes are counted as they are written. */
const MAX_CELL_LENGTH = 32_767;

/** What a cut cell ends with. */
const CONTINUED = '… [the whole text is in the sheet long_text]';

/** `key` is JSON: the row's key columns and `column`. A text is its parts, from 1 on, one after the other. */
export const longTextTable = defineTable('long_text', {
  key: { table: 'string', key: 'string', part: 'int32' },
  rest: { text: 'string' },
});

export function isLong(text: string): boolean {
  if (text.length > MAX_CELL_LENGTH) return true;
  return text.length * 7 > MAX_CELL_LENGTH && escapeForExcel(text).length > MAX_CELL_LENGTH;
}

/** What the cell itself shows of a long text: its first part and the mark. */
export function beginningOf(text: string): string {
  const [first = ''] = partsOf(text);
  return first + CONTINUED;
}

/** The row's long texts as rows of `long_text`. @param ordinal of the row in its table, from 1 */
export function* longTextRows(table: TableSchema, row: Row, ordinal: number): Generator<Row> {
  for (const column of table.columns) {
    const value = row[column.name];
    if (typeof value !== 'string') continue;
    const text = wellFormed(value);
    if (!isLong(text)) continue;
    const key = keyOf(table, row, column, ordinal);
    let part = 0;
    for (const piece of partsOf(text)) {
      part++;
      yield { table: table.name, key, part, text: piece };
    }
  }
}

/** A key that fits no cell itself is replaced by the row's place in its table. */
function keyOf(table: TableSchema, row: Row, { name }: Column, ordinal: number): string {
  const keys = table.columns
    .filter(({ isKey }) => isKey)
    .map((column) => {
      const value = row[column.name];
      return [column.name, typeof value === 'number' ? value : wellFormed(String(value))];
    });
  const key = JSON.stringify({ ...Object.fromEntries(keys), column: name });
  return isLong(key) ? JSON.stringify({ row: ordinal, column: name }) : key;
}

/** Pieces that fit a cell, the first with room for the mark; no surrogate pair is split. */
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

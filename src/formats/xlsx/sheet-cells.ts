/** Converts a table to a sheet: columns with widths and styles, rows to cells. */
import {
  type CellValue,
  type Column,
  type Row,
  type TableSchema,
  defineTable,
} from '../../model/table-schema.js';
import { formatTimestamp } from '../../model/created-at.js';
import { cellOf } from '../format.js';
import { INTEGER, NUMBER, PLAIN, TEXT, TIME, type SheetColumn } from './workbook-file.js';
import {
  escapeForExcel,
  escapedLengthAt,
  excelTime,
  type Cell,
  type CellStyle,
} from './exceljs.js';

const STYLES = { string: TEXT, int32: INTEGER, int64: INTEGER, bool: PLAIN, ts: TIME } as const;
const TIME_WIDTH = 20;
const MAX_WIDTH = 60;
/** Width of the filter button, with a margin. */
const BUTTON_WIDTH = 4;
/** Rows that determine the width of a column. */
const SAMPLE = 200;

/**
 * @param rows the first rows of the sheet, which determine the widths
 * @param folded names of columns that are hidden until the user unfolds them
 */
export function sheetColumns(
  table: TableSchema,
  rows: readonly Row[],
  folded: ReadonlySet<string> = new Set(),
): SheetColumn[] {
  const sample = rows.slice(0, SAMPLE);
  return table.columns.map((column) => ({
    title: column.name,
    width: widthOf(column, sample),
    style: STYLES[column.type],
    isKey: column.isKey,
    isFolded: folded.has(column.name),
  }));
}

function widthOf({ name, type }: Column, rows: readonly Row[]): number {
  const header = name.length + BUTTON_WIDTH;
  if (type === 'ts') return Math.max(header, TIME_WIDTH);
  const widest = rows.reduce((width, row) => Math.max(width, lineWidth(row[name] ?? '')), 0);
  return Math.max(header, Math.min(MAX_WIDTH, widest + 2));
}

/** The width of the first line, up to the maximum. */
function lineWidth(value: CellValue): number {
  const [line = ''] = String(value).slice(0, MAX_WIDTH).split('\n', 1);
  return line.length;
}

export interface RowCells {
  /** A cell without a value is undefined. */
  readonly cells: readonly Cell[];
  /** A text did not fit and ends with a mark. */
  readonly hasLongText: boolean;
}

/** @throws {FormatError} the row is not of its table */
export function rowCells(table: TableSchema, row: Row): RowCells {
  let hasLongText = false;
  const cells = table.columns.map((column) => {
    const value = cellOf(table, column, row);
    if (typeof value !== 'string') return cellValue(column, value);
    const text = value.toWellFormed();
    if (!isLong(text)) return escapeForExcel(text);
    hasLongText = true;
    return escapeForExcel(firstPartOf(text));
  });
  return { cells, hasLongText };
}

/** A text as a cell of any sheet; a long one ends with a mark. */
export function textCell(value: string): string {
  const text = value.toWellFormed();
  return escapeForExcel(isLong(text) ? firstPartOf(text) : text);
}

function cellValue({ type }: Column, value: Exclude<CellValue, string>): Cell {
  if (value === null) return undefined;
  if (typeof value === 'boolean') return value;
  if (type === 'ts') return excelTime(BigInt(value)) ?? formatTimestamp(BigInt(value));
  return exactNumber(String(value)) ?? String(value);
}

/** Digits that Excel shows of a number; it makes zeros of those behind them. */
export const EXACT_DIGITS = 15;

/** Undefined of a text that Excel would not show with the same characters: `3.10`, `007`, `1e5`, a card number. */
export function exactNumber(text: string): number | undefined {
  const isPlain = /^-?\d+(?:\.\d+)?$/.test(text) && text.replace(/\D/g, '').length <= EXACT_DIGITS;
  return isPlain && String(Number(text)) === text ? Number(text) : undefined;
}

/** Of a column that has integers and others: long integers are shown with all digits. */
export function numberStyle(value: number | undefined): CellStyle {
  return Number.isSafeInteger(value) ? INTEGER : NUMBER;
}

/** Texts that are too long for a cell: the cell has the beginning, the sheet `long_text` the whole text in parts. */

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
function firstPartOf(text: string): string {
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

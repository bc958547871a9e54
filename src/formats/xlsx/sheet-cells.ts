/** Converts a table to a sheet: columns with widths and styles, rows to cells. */
import {
  type CellValue,
  type Column,
  type Row,
  type TableSchema,
} from '../../model/table-schema.js';
import { formatTimestamp } from '../../model/times/timestamp.js';
import { cellOf } from '../cell.js';
import { type SheetColumn } from './workbook-file.js';
import { DATE, INTEGER, NUMBER, PLAIN, TEXT, TIME } from './cell-styles.js';
import { type Cell, type CellStyle } from './exceljs.js';
import { escapeForExcel } from './excel-text.js';
import { excelTime } from './excel-time.js';
import { isLong, firstPartOf } from './long-texts.js';

const STYLES = { string: TEXT, int32: INTEGER, int64: INTEGER, bool: PLAIN, ts: TIME } as const;
const TIME_WIDTH = 20;
const MAX_WIDTH = 60;
/** Width of the filter button, with a margin. */
const BUTTON_WIDTH = 4;
/** Rows that determine the width of a column. */
const SAMPLE = 200;

export interface ShownColumns {
  /** Names of columns that are hidden until the user unfolds them. */
  readonly folded?: ReadonlySet<string> | undefined;
  /** Names of columns whose times are the beginnings of days, of which the day is shown alone. */
  readonly days?: ReadonlySet<string> | undefined;
}

/** @param rows the first rows of the sheet, which determine the widths */
export function sheetColumns(
  table: TableSchema,
  rows: readonly Row[],
  { folded, days }: ShownColumns = {},
): SheetColumn[] {
  const sample = rows.slice(0, SAMPLE);
  return table.columns.map((column) => ({
    title: column.name,
    width: widthOf(column, sample),
    style: days?.has(column.name) === true ? DATE : STYLES[column.type],
    isKey: column.isKey,
    isFolded: folded?.has(column.name) === true,
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

/** The style of a column that has integers and others: long integers are shown with all digits. */
export function numberStyle(value: number | undefined): CellStyle {
  return Number.isSafeInteger(value) ? INTEGER : NUMBER;
}

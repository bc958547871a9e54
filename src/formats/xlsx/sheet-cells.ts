/** Rows as the cells of a sheet. */
import type { CellValue, Column, Row, TableSchema } from '../../model/table-schema.js';
import { formatTimestamp } from '../../model/timestamp.js';
import { cellOf } from '../cell.js';
import { wellFormed } from '../well-formed.js';
import { escapeForExcel } from './excel-text.js';
import type { Cell } from './exceljs.js';
import { beginningOf, isLong } from './long-text.js';

const WIDTHS = { string: 24, int32: 12, int64: 16, bool: 10, ts: 30 } as const;

export function columnWidths(table: TableSchema): number[] {
  return table.columns.map(({ type }) => WIDTHS[type]);
}

export interface RowCells {
  /** A cell without a value is undefined. */
  readonly cells: readonly Cell[];
  /** Some text did not fit and ends with a mark. */
  readonly hasLongText: boolean;
}

/** @throws {FormatError} the row is not of its table */
export function rowCells(table: TableSchema, row: Row): RowCells {
  let hasLongText = false;
  const cells = table.columns.map((column) => {
    const value = cellOf(table, column, row);
    if (typeof value !== 'string') return cellValue(column, value);
    const text = wellFormed(value);
    if (!isLong(text)) return escapeForExcel(text);
    hasLongText = true;
    return escapeForExcel(beginningOf(text));
  });
  return { cells, hasLongText };
}

function cellValue({ type }: Column, value: Exclude<CellValue, string>): Cell {
  if (value === null) return undefined;
  if (typeof value === 'boolean') return value;
  if (type === 'ts') return formatTimestamp(BigInt(value));
  // Excel's numbers are doubles: what they cannot hold exactly is written as text.
  return Number.isSafeInteger(Number(value)) ? Number(value) : value.toString();
}

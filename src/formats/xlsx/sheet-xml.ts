/** Rows of cells as SpreadsheetML. Source: ECMA-376 part 1, 18.3 */
import type { CellValue, Column, Row, TableSchema } from '../../model/table-schema.js';
import { formatTimestamp } from '../../model/timestamp.js';
import { cellOf } from '../cell.js';
import { wellFormed } from '../well-formed.js';
import { escapeForExcel, escapeForXml } from './excel-text.js';
import { beginningOf, isLong } from './long-text.js';
import { EMPTY_TEXT_INDEX, HEADER_STYLE } from './workbook-parts.js';

const WIDTHS = { string: 24, int32: 12, int64: 16, bool: 10, ts: 30 } as const;

/** Everything before the first row: the header row stays in sight. */
export function sheetStart(table: TableSchema): string {
  const columns = table.columns.map(
    ({ type }, index) =>
      `<col min="${index + 1}" max="${index + 1}" width="${WIDTHS[type]}" customWidth="1"/>`,
  );
  return (
    '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n' +
    '<worksheet xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main">' +
    '<sheetViews><sheetView workbookViewId="0">' +
    '<pane ySplit="1" topLeftCell="A2" activePane="bottomLeft" state="frozen"/>' +
    '</sheetView></sheetViews><sheetFormatPr defaultRowHeight="15"/>' +
    `<cols>${columns.join('')}</cols><sheetData>`
  );
}

/** Everything behind the last row: the header row filters. @param rows of the sheet, the header among them */
export function sheetEnd(table: TableSchema, rows: number): string {
  const last = `${columnLetters(table.columns.length - 1)}${rows}`;
  return `</sheetData><autoFilter ref="A1:${last}"/></worksheet>`;
}

export function headerXml(table: TableSchema): string {
  const cells = table.columns.map(({ name }, index) =>
    textCell(`r="${columnLetters(index)}1" s="${HEADER_STYLE}"`, name),
  );
  return `<row r="1">${cells.join('')}</row>`;
}

export interface RowXml {
  readonly xml: string;
  /** Some text did not fit and ends with a mark. */
  readonly hasLongText: boolean;
}

/** @param number of the row in its sheet, from 1 */
export function rowXml(table: TableSchema, row: Row, number: number): RowXml {
  let cells = '';
  let hasLongText = false;
  for (const [index, column] of table.columns.entries()) {
    let value = cellOf(table, column, row);
    if (typeof value === 'string') {
      value = wellFormed(value);
      if (isLong(value)) {
        hasLongText = true;
        value = beginningOf(value);
      }
    }
    cells += cellXml(`r="${columnLetters(index)}${number}"`, column, value);
  }
  return { xml: `<row r="${number}">${cells}</row>`, hasLongText };
}

function cellXml(reference: string, { type }: Column, value: CellValue): string {
  if (value === null) return '';
  if (typeof value === 'boolean') return `<c ${reference} t="b"><v>${value ? 1 : 0}</v></c>`;
  if (typeof value === 'string') return textCell(reference, value);
  if (type === 'ts') return textCell(reference, formatTimestamp(BigInt(value)));
  // Excel's numbers are doubles: what they cannot hold exactly is written as text.
  return Number.isSafeInteger(Number(value))
    ? `<c ${reference}><v>${value}</v></c>`
    : textCell(reference, value.toString());
}

/** Never a formula, whatever the text begins with. exceljs drops an empty inline text: that one is shared. */
function textCell(attributes: string, text: string): string {
  if (text === '') return `<c ${attributes} t="s"><v>${EMPTY_TEXT_INDEX}</v></c>`;
  const escaped = escapeForXml(escapeForExcel(text));
  return `<c ${attributes} t="inlineStr"><is><t xml:space="preserve">${escaped}</t></is></c>`;
}

/** A, B, …, Z, AA, … from 0. */
function columnLetters(index: number): string {
  const letter = String.fromCharCode(65 + (index % 26));
  return index < 26 ? letter : columnLetters(Math.floor(index / 26) - 1) + letter;
}

/** The styles of cells. The workbook has one style per object, so cells share these. */
import { type CellStyle } from './exceljs.js';

const FONT = { name: 'Calibri', size: 11 } as const;
const FROM_THE_TOP = { vertical: 'top' } as const;

export const TEXT: CellStyle = {
  font: FONT,
  alignment: { vertical: 'top', horizontal: 'left', wrapText: true },
};
export const PLAIN: CellStyle = { font: FONT, alignment: FROM_THE_TOP };
/** Indented, so that it does not touch a text on its right. */
export const NUMBER: CellStyle = {
  font: FONT,
  alignment: { vertical: 'top', horizontal: 'right', indent: 1 },
};
/** All digits of an integer, however narrow the column: Excel shows long ones as 4.00638E+12. */
export const INTEGER: CellStyle = { ...NUMBER, numFmt: '0' };
/** Wraps, because a text may replace an unknown time. */
export const TIME: CellStyle = {
  font: FONT,
  alignment: { vertical: 'top', horizontal: 'left', wrapText: true },
  numFmt: 'yyyy-mm-dd hh:mm:ss',
};
/** A day without a time. */
export const DATE: CellStyle = { ...TIME, numFmt: 'yyyy-mm-dd' };
export const HEADER: CellStyle = {
  font: { name: 'Calibri', size: 11, bold: true },
  alignment: { vertical: 'middle' },
  fill: { type: 'pattern', pattern: 'solid', fgColor: { argb: 'FFE8EDF3' } },
};
export const LINK: CellStyle = {
  font: { name: 'Calibri', size: 11, underline: true, color: { argb: 'FF0563C1' } },
  alignment: { vertical: 'top', horizontal: 'left', wrapText: true },
};
export const TITLE: CellStyle = {
  font: { name: 'Calibri', size: 18, bold: true },
  alignment: FROM_THE_TOP,
};
const FAINT = { ...FONT, color: { argb: 'FF5F6B7A' } };
export const LABEL: CellStyle = { font: FAINT, alignment: FROM_THE_TOP };
export const REPEATED_TIME: CellStyle = { ...TIME, font: FAINT };
export const REPEATED_DATE: CellStyle = { ...DATE, font: FAINT };
/** Wraps as what it repeats does: a long name is whole in print. */
export const REPEATED: CellStyle = { ...TEXT, font: FAINT };

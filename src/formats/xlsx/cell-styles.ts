/** How cells look. Excel keeps a style once for each of these objects. */
import type { CellStyle } from './exceljs.js';

const FONT = { name: 'Calibri', size: 11 } as const;
const FROM_THE_TOP = { vertical: 'top' } as const;

export const TEXT: CellStyle = {
  font: FONT,
  alignment: { vertical: 'top', horizontal: 'left', wrapText: true },
};
export const PLAIN: CellStyle = { font: FONT, alignment: FROM_THE_TOP };
export const TIME: CellStyle = {
  font: FONT,
  alignment: { vertical: 'top', horizontal: 'left' },
  numFmt: 'yyyy-mm-dd hh:mm:ss',
};
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
export const LABEL: CellStyle = {
  font: { name: 'Calibri', size: 11, color: { argb: 'FF5F6B7A' } },
  alignment: FROM_THE_TOP,
};

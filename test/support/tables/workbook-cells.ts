/** What exceljs, which shares no code with us, finds in a workbook. */
import ExcelJS from 'exceljs';
import type { CellValue, Row, TableSchema } from '../../../src/model/table-schema.js';
import { formatTimestamp } from '../../../src/model/times/timestamp.js';

export interface FoundSheet {
  readonly name: string;
  /** The cells of every row, header first. A cell that is not there is null. */
  readonly rows: readonly (readonly CellValue[])[];
  readonly frozenRows: number | undefined;
  readonly filter: unknown;
}

export async function foundSheets(bytes: Uint8Array): Promise<FoundSheet[]> {
  const workbook = new ExcelJS.Workbook();
  await workbook.xlsx.load(Buffer.from(bytes) as unknown as ExcelJS.Buffer);
  return workbook.worksheets.map((sheet) => {
    const width = sheet.getRow(1).cellCount;
    const rows: CellValue[][] = [];
    for (let at = 1; at <= sheet.rowCount; at++) {
      const row = sheet.getRow(at);
      rows.push(Array.from({ length: width }, (_, index) => cellValue(row.getCell(index + 1))));
    }
    const [view] = sheet.views;
    return {
      name: sheet.name,
      rows,
      frozenRows: view?.state === 'frozen' ? view.ySplit : undefined,
      filter: sheet.autoFilter,
    };
  });
}

/** exceljs decodes `_xHHHH_` in shared texts only, ours stand in their cells: so it is done here. */
function cellValue(cell: ExcelJS.Cell): CellValue {
  const { value } = cell;
  if (typeof value === 'string') return decodedByExcel(value);
  if (value instanceof Date) return value.toISOString();
  if (value === null || typeof value === 'number' || typeof value === 'boolean') return value;
  throw new Error(`${cell.address} holds ${JSON.stringify(value)}: no plain value`);
}

/** From left to right, nothing decoded twice, as Excel does it. */
export function decodedByExcel(text: string): string {
  let plain = '';
  for (let at = 0; at < text.length;) {
    const digits = /^_x([0-9A-Fa-f]{4})_/.exec(text.slice(at, at + 7))?.[1];
    plain += digits ? String.fromCharCode(parseInt(digits, 16)) : text.charAt(at);
    at += digits ? 7 : 1;
  }
  return plain;
}

/** Excel's calendar: what is outside of it is ISO text. */
const FIRST_DATE = Date.UTC(1900, 2, 1);
const LAST_DATE = Date.UTC(9999, 11, 31, 23, 59, 59, 999);

/** What stands in a cell for a value: times are dates, to the millisecond as exceljs reads them; integers with more digits than Excel shows are texts. */
export function shownValue(table: TableSchema, row: Row, name: string): CellValue {
  const value = row[name] ?? null;
  if (typeof value !== 'bigint') return value;
  if (table.columns.find((column) => column.name === name)?.type === 'ts') {
    const ms = Math.round(Number(value) / 1000);
    const isDate = ms >= FIRST_DATE && ms <= LAST_DATE;
    return isDate ? new Date(ms).toISOString() : formatTimestamp(value);
  }
  const number = Number(value);
  return Math.abs(number) < 1e15 ? number : value.toString();
}

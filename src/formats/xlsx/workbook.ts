/** Writes tables as one Excel workbook without loss: one sheet per table, and `long_text` for texts that are too long for a cell. */
import type { ByteSink, SheetSource } from '../format.js';
import { longTextRows, longTextTable } from './long-texts.js';
import { WorkbookFile } from './workbook-file.js';
import { runsOnce } from './sheet-source.js';
import { type SheetLimits, type TableSheetsOptions, TableSheets } from './table-sheets.js';

/** Excel's limit of rows; a GiB of XML. */
export const SHEET_LIMITS: SheetLimits = { maxRows: 1_048_576, maxCharacters: 2 ** 30 };

export interface XlsxOptions {
  /** For tests: when a table continues on another sheet. */
  readonly limits?: Partial<SheetLimits>;
  /** What the properties of the workbook say of it. Default: nothing. */
  readonly description?: string;
}

export interface WrittenWorkbook {
  /** Rows of all tables, without those of `long_text`. */
  readonly rows: number;
  readonly sheets: number;
}

/**
 * Writes every table that has rows, in the order given; a workbook without any row has one sheet with the
 * first table's header. To keep memory constant, a table with long texts is read a second time for `long_text`,
 * so every source must be readable twice (see `sheetSource`).
 *
 * @throws {TypeError} a source can be read only once
 * @throws {FormatError} a row is not of its table
 */
export async function writeXlsx(
  sources: readonly SheetSource[],
  sink: ByteSink,
  { limits, description }: XlsxOptions = {},
): Promise<WrittenWorkbook> {
  const once = sources.find(runsOnce);
  if (once) {
    throw new TypeError(`The rows of ${once.table.name} can be read only once: use sheetSource`);
  }
  const workbook = await WorkbookFile.begin(sink, { description });
  try {
    const rows = await writeSheets(sources, workbook, {
      limits: { ...SHEET_LIMITS, ...limits },
    });
    await workbook.finish();
    return { rows, sheets: workbook.sheets };
  } catch (error) {
    workbook.abort();
    throw error;
  }
}

/**
 * Adds the sheets of tables to a workbook.
 *
 * @returns the number of rows of the tables
 */
export async function writeSheets(
  sources: readonly SheetSource[],
  workbook: WorkbookFile,
  { limits = SHEET_LIMITS, ...columns }: Partial<TableSheetsOptions> = {},
): Promise<number> {
  const options = { limits, ...columns };
  let rows = 0;
  const withLongText: SheetSource[] = [];
  for (const source of sources) {
    const table = new TableSheets(source.table, workbook, options);
    for await (const batch of source.rows) await table.write(batch);
    table.end();
    rows += table.rows;
    if (table.hasLongText) withLongText.push(source);
  }
  await writeLongTexts(withLongText, new TableSheets(longTextTable, workbook, options));
  if (workbook.sheets === 0) {
    const empty = new TableSheets(sources[0]?.table ?? longTextTable, workbook, options);
    empty.begin();
    empty.end();
  }
  return rows;
}

async function writeLongTexts(sources: readonly SheetSource[], sheets: TableSheets): Promise<void> {
  for (const { table, rows } of sources) {
    let ordinal = 0;
    for await (const batch of rows) {
      for (const row of batch) await sheets.write([...longTextRows(table, row, ++ordinal)]);
    }
  }
  sheets.end();
}

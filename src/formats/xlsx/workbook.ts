/** Writes tables as one Excel workbook without loss: one sheet per table, and `long_text` for texts that are too long for a cell. */
import type { ByteSink, SheetSource } from '../format.js';
import { longTextRows, longTextTable, rowCells, sheetColumns } from './sheet-cells.js';
import { WorkbookFile, type SheetFile } from './workbook-file.js';
import type { Row, TableSchema } from '../../model/table-schema.js';
import { SEARCH_COLUMNS } from '../../model/tables.js';

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
  { limits = SHEET_LIMITS, folded = new Set() }: Partial<TableSheetsOptions> = {},
): Promise<number> {
  const options = { limits, folded };
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

/** Writes a table's rows to as many sheets as they need. */

export interface SheetLimits {
  /** Including the header. Excel's own limit is 1,048,576. */
  readonly maxRows: number;
  /** Characters of XML; far below the 4 GiB of a ZIP entry, and about the most that Excel can open. */
  readonly maxCharacters: number;
}

export interface TableSheetsOptions {
  readonly limits: SheetLimits;
  /** Names of columns that are hidden until the user unfolds them. */
  readonly folded: ReadonlySet<string>;
}

export class TableSheets {
  /** Rows of the table, without headers. */
  rows = 0;
  hasLongText = false;
  readonly #table: TableSchema;
  readonly #workbook: WorkbookFile;
  readonly #options: TableSheetsOptions;
  #sheet: SheetFile | undefined;

  constructor(table: TableSchema, workbook: WorkbookFile, options: TableSheetsOptions) {
    this.#table = table;
    this.#workbook = workbook;
    this.#options = options;
  }

  async write(rows: readonly Row[]): Promise<void> {
    for (const [index, row] of rows.entries()) {
      const { cells, hasLongText } = rowCells(this.#table, row);
      const sheet =
        this.#sheet && this.#hasRoom(this.#sheet) ? this.#sheet : this.begin(rows.slice(index));
      await sheet.write(cells);
      this.hasLongText ||= hasLongText;
      this.rows++;
    }
  }

  /** Opens a sheet, also without rows. @param rows the first rows of the sheet */
  begin(rows: readonly Row[] = []): SheetFile {
    this.end();
    this.#sheet = this.#workbook.openSheet({
      name: this.#table.name,
      columns: sheetColumns(this.#table, rows, this.#options.folded),
      hasHeader: true,
      showsWholeTexts: false,
    });
    return this.#sheet;
  }

  /** Closes the open sheet, if any. */
  end(): void {
    this.#sheet?.end();
    this.#sheet = undefined;
  }

  #hasRoom({ rows, characters }: SheetFile): boolean {
    const { limits } = this.#options;
    return rows < limits.maxRows && characters < limits.maxCharacters;
  }
}

/** Sources of rows for a workbook, which can be read twice. */

/**
 * A source that calls `rows` for each read: an async generator alone can be read only once. A sheet has no column that
 * is there for searches alone.
 *
 * @param rows returns the same rows in the same order at every call
 */
export function sheetSource(
  table: TableSchema,
  rows: () => AsyncIterable<readonly Row[]>,
): SheetSource {
  const columns = table.columns.filter(({ name }) => !SEARCH_COLUMNS.includes(name));
  return {
    table: { ...table, columns },
    rows: { [Symbol.asyncIterator]: () => rows()[Symbol.asyncIterator]() },
  };
}

/** Whether a source can be read only once, like a generator. */
function runsOnce({ rows }: SheetSource): boolean {
  const iterator: unknown = rows[Symbol.asyncIterator]();
  return iterator === rows;
}

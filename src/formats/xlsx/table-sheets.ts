/** Writes a table's rows to as many sheets as they need. */
import { rowCells, sheetColumns, type ShownColumns } from './sheet-cells.js';
import type { WorkbookFile } from './workbook-file.js';
import { type SheetFile } from './workbook-file.js';
import type { Row, TableSchema } from '../../model/table-schema.js';

export interface SheetLimits {
  /** Including the header. Excel's own limit is 1,048,576. */
  readonly maxRows: number;
  /** Characters of XML; far below the 4 GiB of a ZIP entry, and about the most that Excel can open. */
  readonly maxCharacters: number;
}

export interface TableSheetsOptions extends ShownColumns {
  readonly limits: SheetLimits;
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
      columns: sheetColumns(this.#table, rows, this.#options),
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

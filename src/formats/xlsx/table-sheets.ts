/** One table's rows on as many sheets as they need, one after the other. */
import type { Row, TableSchema } from '../../model/table-schema.js';
import { rowCells, sheetColumns } from './sheet-cells.js';
import type { SheetFile, WorkbookFile } from './workbook-file.js';

export interface SheetLimits {
  /** Excel's own limit is 1,048,576, the header among them. */
  readonly maxRows: number;
  /** Characters of XML; far below the 4 GiB of a ZIP entry, and about what Excel can open. */
  readonly maxCharacters: number;
}

export class TableSheets {
  /** Of the table: headers do not count. */
  rows = 0;
  hasLongText = false;
  readonly #table: TableSchema;
  readonly #workbook: WorkbookFile;
  readonly #limits: SheetLimits;
  #sheet: SheetFile | undefined;

  constructor(table: TableSchema, workbook: WorkbookFile, limits: SheetLimits) {
    this.#table = table;
    this.#workbook = workbook;
    this.#limits = limits;
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

  /** Opens a sheet even though there may be no row for it. @param rows the first that it gets */
  begin(rows: readonly Row[] = []): SheetFile {
    this.end();
    this.#sheet = this.#workbook.openSheet({
      name: this.#table.name,
      columns: sheetColumns(this.#table, rows),
      hasHeader: true,
      showsWholeTexts: false,
    });
    return this.#sheet;
  }

  /** Closes the sheet that is open, if one is. */
  end(): void {
    this.#sheet?.end();
    this.#sheet = undefined;
  }

  #hasRoom({ rows, characters }: SheetFile): boolean {
    return rows < this.#limits.maxRows && characters < this.#limits.maxCharacters;
  }
}

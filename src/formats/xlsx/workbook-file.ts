/** Writes a workbook to a sink, one sheet after the other. Every write waits for the sink. */
import { once } from 'node:events';
import { Writable } from 'node:stream';
import type { ByteSink } from '../format.js';
import { type Cell, type CellStyle, type OpenSheet, type StreamingWorkbook } from './exceljs.js';
import { escapeForExcel, columnLetters } from './excel-text.js';
import { linesOf } from './row-height.js';
import { HEADER } from './cell-styles.js';

const MAX_NAME_LENGTH = 31;

/** Creates names that Excel accepts for sheets: at most 31 characters, none of `[]:*?/\`, unique ignoring case. */
export class SheetNames {
  readonly #taken = new Set<string>();

  /** The name, with ` (2)`, ` (3)`, … if it is taken; truncated if it is too long. */
  next(wanted: string): string {
    const base = wanted.replace(/[[\]:*?/\\]/g, '_').replace(/^'|'$/g, '_') || 'sheet';
    for (let number = 1; ; number++) {
      const suffix = number === 1 ? '' : ` (${number})`;
      const name = cut(base, MAX_NAME_LENGTH - suffix.length) + suffix;
      if (this.#taken.has(name.toLowerCase())) continue;
      this.#taken.add(name.toLowerCase());
      return name;
    }
  }
}

/** Truncates to `length` code units without splitting a surrogate pair. */
function cut(text: string, length: number): string {
  return text.slice(0, length).replace(/[\uD800-\uDBFF]$/, '');
}

export interface SheetColumn {
  readonly title: string;
  /** In characters. */
  readonly width: number;
  readonly style: CellStyle;
  /** Identifies the row: repeated on every page of a row. Key columns come first. */
  readonly isKey?: boolean;
  /** Hidden and not printed until the user unfolds it. */
  readonly isFolded?: boolean;
}

export interface SheetLayout {
  readonly name: string;
  readonly columns: readonly SheetColumn[];
  /** Without a header, the sheet is a page: no frozen row, no filter, no grid. */
  readonly hasHeader: boolean;
  /** Rows are as high as their texts; otherwise they are low, so that many fit on a screen. */
  readonly showsWholeTexts: boolean;
}

/** Maximum height of table rows; the cell has the whole text. */
const MAX_TABLE_LINES = 3;
/** Excel's own limit is 409 points. */
const MAX_LINES = 27;
const LINE_POINTS = 15;
const HEADER_POINTS = 20;
/** Excel allows 255 characters with the codes. */
const MAX_FOOTER = 100;

export interface WorkbookTexts {
  /** On every printed page, beside the name of the sheet and the page number. Default: nothing. */
  readonly footer?: string;
  /** Among the properties of the workbook. Default: nothing. */
  readonly description?: string | undefined;
}

export class WorkbookFile {
  /** Sheets opened so far. */
  sheets = 0;
  readonly #workbook: StreamingWorkbook;
  readonly #names = new SheetNames();
  /** Aborted with the sink's error. */
  readonly #failed = new AbortController();
  readonly #footer: string;

  private constructor(
    Workbook: typeof StreamingWorkbook,
    sink: ByteSink,
    { footer = '', description }: WorkbookTexts,
  ) {
    this.#footer = `&L${footer.slice(0, MAX_FOOTER).replaceAll('&', '&&')}&C&A&R&P / &N`;
    const output = new Writable({
      write: (chunk: Uint8Array, _encoding, done) => {
        sink.write(chunk).then(() => done(), done);
      },
    });
    const fail = (error: unknown) => this.#failed.abort(error);
    output.on('error', fail);
    this.#workbook = new Workbook(output, description);
    this.#workbook.zip.on('error', fail);
  }

  /** Loads exceljs with the first workbook. */
  static async begin(sink: ByteSink, texts: WorkbookTexts = {}): Promise<WorkbookFile> {
    const { StreamingWorkbook } = await import('./exceljs.js');
    return new WorkbookFile(StreamingWorkbook, sink, texts);
  }

  /** Opens a sheet with the layout's name, or the next free variant of it, and writes its header. */
  openSheet(layout: SheetLayout): SheetFile {
    this.sheets++;
    const { columns, hasHeader } = layout;
    const keyColumns = columns.filter(({ isKey }) => isKey === true).length;
    const setup = {
      columns: columns.map(({ width, isFolded = false }) => ({ width, isFolded })),
      hasHeader,
      keyColumns,
      footer: this.#footer,
    };
    const open = this.#workbook.openSheet(this.#names.next(layout.name), setup);
    return new SheetFile(open, layout, this.#failed.signal);
  }

  /** Writes the rest; the sink stays open. @throws the sink's error */
  async finish(): Promise<void> {
    const { signal } = this.#failed;
    signal.throwIfAborted();
    await Promise.race([this.#workbook.commit(), once(signal, 'abort')]);
    signal.throwIfAborted();
  }

  /** Stops writing. Has no effect after `finish`. */
  abort(): void {
    this.#workbook.zip.abort();
  }
}

/** A cell with another style than its column. */
export interface StyledCell {
  readonly value: Cell;
  readonly style: CellStyle;
}

export class SheetFile {
  /** Including the header. */
  rows = 0;
  links = 0;
  readonly #open: OpenSheet;
  readonly #layout: SheetLayout;
  readonly #failed: AbortSignal;

  constructor(open: OpenSheet, layout: SheetLayout, failed: AbortSignal) {
    this.#open = open;
    this.#layout = layout;
    this.#failed = failed;
    if (layout.hasHeader) this.#writeHeader();
  }

  /** Characters of XML so far. */
  get characters(): number {
    return this.#open.xml.characters;
  }

  /** Resolves when more may be written. @throws the sink's error */
  async write(cells: readonly (Cell | StyledCell)[]): Promise<void> {
    const { columns, showsWholeTexts } = this.#layout;
    const values = cells.map((cell) => (isStyled(cell) ? cell.value : cell));
    const row = this.#open.sheet.addRow(values);
    const wrapped = values.map((value, index) => {
      if (value === undefined) return undefined;
      const cell = cells[index];
      const style = isStyled(cell) ? cell.style : columns[index]?.style;
      if (style) row.getCell(index + 1).style = style;
      if (isLink(value)) this.links++;
      const isShown = columns[index]?.isFolded !== true;
      return isShown && style?.alignment?.wrapText === true ? value : undefined;
    });
    const lines = linesOf(wrapped, columns, showsWholeTexts ? MAX_LINES : MAX_TABLE_LINES);
    // not all programs fit the height of a row to wrapped text
    if (lines > 1) row.height = lines * LINE_POINTS;
    row.commit();
    this.rows++;
    if (this.#open.xml.isFull) await this.#open.xml.drained(this.#failed);
  }

  /** Adds the filter of the header row, and closes the sheet. */
  end(): void {
    const { columns, hasHeader } = this.#layout;
    if (hasHeader) {
      this.#open.sheet.autoFilter = `A1:${columnLetters(columns.length)}${this.rows}`;
    }
    this.#open.sheet.commit();
  }

  #writeHeader(): void {
    const { columns } = this.#layout;
    const row = this.#open.sheet.addRow(columns.map(({ title }) => escapeForExcel(title)));
    columns.forEach((_, index) => (row.getCell(index + 1).style = HEADER));
    row.height = HEADER_POINTS;
    row.commit();
    this.rows++;
  }
}

function isStyled(cell: Cell | StyledCell): cell is StyledCell {
  return typeof cell === 'object' && 'value' in cell;
}

function isLink(cell: Cell): boolean {
  return typeof cell === 'object';
}

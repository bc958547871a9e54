/** A workbook on its way into a sink, one sheet after the other; every write waits for the sink. */
import { once } from 'node:events';
import { Writable } from 'node:stream';
import type { ByteSink } from '../format.js';
import { HEADER } from './cell-styles.js';
import { escapeForExcel } from './excel-text.js';
import type { Cell, CellStyle, OpenSheet, StreamingWorkbook } from './exceljs.js';
import { columnLetters } from './column-letters.js';
import { SheetNames } from './sheet-names.js';
import { linesOf } from './wrapped-lines.js';

export interface SheetColumn {
  readonly title: string;
  /** In characters. */
  readonly width: number;
  readonly style: CellStyle;
  /** Tells rows apart: printed on every page of a row. Those of a sheet stand at its left. */
  readonly isKey?: boolean;
  /** Hidden and not printed until somebody unfolds it. */
  readonly isFolded?: boolean;
}

export interface SheetLayout {
  readonly name: string;
  readonly columns: readonly SheetColumn[];
  /** Without one, the sheet is a page: no row stays in sight, nothing filters, no grid. */
  readonly hasHeader: boolean;
  /** Rows are as high as their texts; else they stay low, so that many fit on a screen. */
  readonly showsWholeTexts: boolean;
}

/** Rows of tables are no higher; the cell has the whole text. */
const MOST_TABLE_LINES = 3;
/** Excel's own limit is 409 points. */
const MOST_LINES = 27;
const LINE_POINTS = 15;
const HEADER_POINTS = 20;
/** Excel takes 255 characters with the codes. */
const MAX_FOOTER = 100;

export class WorkbookFile {
  /** Opened so far. */
  sheets = 0;
  readonly #workbook: StreamingWorkbook;
  readonly #names = new SheetNames();
  readonly #broken = new AbortController();

  readonly #footer: string;

  private constructor(Workbook: typeof StreamingWorkbook, sink: ByteSink, footer: string) {
    this.#footer = `&L${footer.slice(0, MAX_FOOTER).replaceAll('&', '&&')}&C&A&R&P / &N`;
    const output = new Writable({
      write: (chunk: Uint8Array, _encoding, done) => {
        sink.write(chunk).then(() => done(), done);
      },
    });
    const breakOff = (error: unknown) => this.#broken.abort(error);
    output.on('error', breakOff);
    this.#workbook = new Workbook(output);
    this.#workbook.zip.on('error', breakOff);
  }

  /**
   * exceljs is loaded when the first workbook is written.
   *
   * @param footer what every printed page says, beside the name of the sheet and the number of the page
   */
  static async begin(sink: ByteSink, footer = ''): Promise<WorkbookFile> {
    const { StreamingWorkbook } = await import('./exceljs.js');
    return new WorkbookFile(StreamingWorkbook, sink, footer);
  }

  /** Named as the layout says, or the next free name like it; its header is written. */
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
    return new SheetFile(open, layout, this.#broken.signal);
  }

  /** Writes the rest; the sink stays open. @throws what the sink has thrown */
  async finish(): Promise<void> {
    const { signal } = this.#broken;
    signal.throwIfAborted();
    await Promise.race([this.#workbook.commit(), once(signal, 'abort')]);
    signal.throwIfAborted();
  }

  /** Nothing more is written. Harmless after `finish`. */
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
  /** The header among them. */
  rows = 0;
  links = 0;
  readonly #open: OpenSheet;
  readonly #layout: SheetLayout;
  readonly #broken: AbortSignal;

  constructor(open: OpenSheet, layout: SheetLayout, broken: AbortSignal) {
    this.#open = open;
    this.#layout = layout;
    this.#broken = broken;
    if (layout.hasHeader) this.#writeHeader();
  }

  /** Of XML, so far. */
  get characters(): number {
    return this.#open.xml.characters;
  }

  /** Resolves when more may be written. @throws what the sink has thrown */
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
    const most = showsWholeTexts ? MOST_LINES : MOST_TABLE_LINES;
    const lines = linesOf(wrapped, columns, most);
    // programs do not agree on who fits the height of a row to wrapped text
    if (lines > 1) row.height = lines * LINE_POINTS;
    row.commit();
    this.rows++;
    if (this.#open.xml.isFull) await this.#open.xml.drained(this.#broken);
  }

  /** The header row filters. */
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

/** A workbook on its way into a sink, one sheet after the other; every write waits for the sink. */
import { once } from 'node:events';
import { Writable } from 'node:stream';
import type { TableSchema } from '../../model/table-schema.js';
import type { ByteSink } from '../format.js';
import { escapeForExcel } from './excel-text.js';
import type { Cell, OpenSheet, StreamingWorkbook } from './exceljs.js';
import { columnWidths } from './sheet-cells.js';
import { SheetNames } from './sheet-names.js';

export class WorkbookFile {
  /** Opened so far. */
  sheets = 0;
  readonly #workbook: StreamingWorkbook;
  readonly #names = new SheetNames();
  readonly #broken = new AbortController();

  private constructor(Workbook: typeof StreamingWorkbook, sink: ByteSink) {
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

  /** exceljs is loaded when the first workbook is written. */
  static async begin(sink: ByteSink): Promise<WorkbookFile> {
    const { StreamingWorkbook } = await import('./exceljs.js');
    return new WorkbookFile(StreamingWorkbook, sink);
  }

  /** Named like the table, or the next free name like it; its header is written. */
  openSheet(table: TableSchema): SheetFile {
    this.sheets++;
    const open = this.#workbook.openSheet(this.#names.next(table.name), columnWidths(table));
    return new SheetFile(open, table, this.#broken.signal);
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

export class SheetFile {
  /** The header among them. */
  rows = 1;
  readonly #open: OpenSheet;
  readonly #columns: number;
  readonly #broken: AbortSignal;

  constructor(open: OpenSheet, { columns }: TableSchema, broken: AbortSignal) {
    this.#open = open;
    this.#columns = columns.length;
    this.#broken = broken;
    const header = open.sheet.addRow(columns.map(({ name }) => escapeForExcel(name)));
    header.font = { bold: true };
    header.commit();
  }

  /** Of XML, so far. */
  get characters(): number {
    return this.#open.xml.characters;
  }

  /** Resolves when more may be written. @throws what the sink has thrown */
  async write(cells: readonly Cell[]): Promise<void> {
    this.#open.sheet.addRow(cells).commit();
    this.rows++;
    if (this.#open.xml.isFull) await this.#open.xml.drained(this.#broken);
  }

  /** The header row filters. */
  end(): void {
    this.#open.sheet.autoFilter = `A1:${columnLetters(this.#columns)}${this.rows}`;
    this.#open.sheet.commit();
  }
}

/** A, B, …, Z, AA, … from 1. */
function columnLetters(number: number): string {
  const letter = String.fromCharCode(65 + ((number - 1) % 26));
  return number <= 26 ? letter : columnLetters(Math.floor((number - 1) / 26)) + letter;
}

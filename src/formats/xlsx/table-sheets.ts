/** One table's rows on as many sheets as they need, one after the other. */
import type { Row, TableSchema } from '../../model/table-schema.js';
import { headerXml, rowXml, sheetEnd, sheetStart } from './sheet-xml.js';
import type { OpenZipEntry } from './zip-writer.js';

/** Opens the part of a new sheet with that name, or the next free one. */
export type OpenSheet = (name: string) => Promise<OpenZipEntry>;

export interface SheetLimits {
  /** Excel's own limit is 1,048,576, the header among them. */
  readonly maxRows: number;
  /** Characters of XML; far below the 4 GiB of a ZIP entry, and about what Excel can open. */
  readonly maxCharacters: number;
}

const CHUNK_CHARACTERS = 128 * 1024;

export class TableSheets {
  /** Of the table: headers do not count. */
  rows = 0;
  hasLongText = false;
  readonly #table: TableSchema;
  readonly #open: OpenSheet;
  readonly #limits: SheetLimits;
  #entry: OpenZipEntry | undefined;
  #sheetRows = 0;
  #sheetCharacters = 0;
  #chunk = '';

  constructor(table: TableSchema, open: OpenSheet, limits: SheetLimits) {
    this.#table = table;
    this.#open = open;
    this.#limits = limits;
  }

  async write(rows: Iterable<Row>): Promise<void> {
    for (const row of rows) {
      if (
        this.#sheetRows >= this.#limits.maxRows ||
        this.#sheetCharacters >= this.#limits.maxCharacters
      ) {
        await this.end();
      }
      if (!this.#entry) await this.begin();
      const { xml, hasLongText } = rowXml(this.#table, row, this.#sheetRows + 1);
      await this.#append(xml);
      this.hasLongText ||= hasLongText;
      this.#sheetRows++;
      this.rows++;
    }
  }

  /** Opens a sheet even though there may be no row for it. */
  async begin(): Promise<void> {
    this.#entry = await this.#open(this.#table.name);
    this.#sheetCharacters = 0;
    this.#sheetRows = 1;
    await this.#append(sheetStart(this.#table) + headerXml(this.#table));
  }

  /** Closes the sheet that is open, if one is. */
  async end(): Promise<void> {
    const entry = this.#entry;
    if (!entry) return;
    this.#entry = undefined;
    await entry.write(Buffer.from(this.#chunk + sheetEnd(this.#table, this.#sheetRows), 'utf8'));
    this.#chunk = '';
    await entry.end();
  }

  async #append(xml: string): Promise<void> {
    this.#chunk += xml;
    this.#sheetCharacters += xml.length;
    if (this.#chunk.length < CHUNK_CHARACTERS) return;
    const bytes = Buffer.from(this.#chunk, 'utf8');
    this.#chunk = '';
    await this.#entry?.write(bytes);
  }
}

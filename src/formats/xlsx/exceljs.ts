/**
 * exceljs's streaming writer with two changes: sheets have back-pressure, and equal rows give equal bytes.
 * The build bundles exceljs into this module, so that users need not install it.
 */
import { once } from 'node:events';
import { PassThrough } from 'node:stream';
import WorkbookWriter, {
  type Sheet,
  type SheetStream,
  type WorkbookOptions,
} from 'exceljs/lib/stream/xlsx/workbook-writer.js';
import { columnLetters } from './excel-text.js';

export type { Cell, CellStyle, Link, Sheet } from 'exceljs/lib/stream/xlsx/workbook-writer.js';

/** The date of a workbook and all its parts: the earliest that ZIP allows. */
const DATE = new Date('1980-01-01T00:00:00Z');
const CHUNK_CHARACTERS = 128 * 1024;

const A4 = 9;
/** Width of A4 landscape, in characters of the default font. */
const PAGE_WIDTH = 135;
/** In percent: smaller letters are not legible on paper. */
const MIN_SCALE = 55;
const FROZEN_HEADER = { state: 'frozen', ySplit: 1 } as const;
const NO_GRID = { state: 'normal', showGridLines: false } as const;

interface ColumnSetup {
  /** In characters. */
  readonly width: number;
  /** Hidden and not printed; a + above it shows it. */
  readonly isFolded: boolean;
}

interface SheetSetup {
  readonly columns: readonly ColumnSetup[];
  /** The first row is frozen, and repeated on every printed page. */
  readonly hasHeader: boolean;
  /** How many columns at the left are repeated if a row is printed on several pages. */
  readonly keyColumns: number;
  /** Footer of printed pages, in Excel's codes. */
  readonly footer: string;
}

/** A sheet with the stream of its XML. */
export interface OpenSheet {
  readonly sheet: Sheet;
  readonly xml: SheetXml;
}

export class StreamingWorkbook extends WorkbookWriter {
  override sharedStrings = new EmptyText();
  #opened: SheetXml | undefined;

  /** @param description a property of the workbook; undefined for none */
  constructor(stream: WorkbookOptions['stream'], description: string | undefined) {
    super({
      stream,
      useStyles: true,
      creator: 'jobvault',
      lastModifiedBy: 'jobvault',
      created: DATE,
      zip: { zlib: { level: 6 } },
    });
    this.description = description;
  }

  openSheet(name: string, { columns, hasHeader, keyColumns, footer }: SheetSetup): OpenSheet {
    const sheet = this.addWorksheet(name, {
      useSharedStrings: true,
      properties: { outlineLevelCol: 1 },
      views: [hasHeader ? FROZEN_HEADER : NO_GRID],
      pageSetup: {
        orientation: 'landscape',
        paperSize: A4,
        ...(hasHeader && { printTitlesRow: '1:1' }),
        ...pagesFor(
          columns.map(({ width, isFolded }) => (isFolded ? 0 : width)),
          keyColumns,
        ),
      },
      headerFooter: { oddFooter: footer },
    });
    sheet.columns = columns.map(({ width, isFolded }) => ({
      width,
      hidden: isFolded,
      outlineLevel: isFolded ? 1 : 0,
    }));
    if (!this.#opened) throw new Error('exceljs opened no stream for a sheet');
    return { sheet, xml: this.#opened };
  }

  /** Sets the date of all ZIP entries: this is the first one. Called by exceljs before this class's fields exist. */
  override addThemes(): Promise<void> {
    const append = this.zip.append.bind(this.zip);
    this.zip.append = (source, { name }) => {
      append(source, { name, date: DATE });
    };
    return super.addThemes();
  }

  /** Replaces exceljs's own stream, which has no back-pressure. */
  override _openStream(path: string): SheetStream {
    const xml = new SheetXml();
    this.zip.append(xml.stream, { name: path });
    this.#opened = xml;
    return xml;
  }
}

/** Fits all columns on one page if the print stays legible; otherwise uses several pages and repeats the key columns that fit. */
function pagesFor(widths: readonly number[], keyColumns: number) {
  const widest = (PAGE_WIDTH * 100) / MIN_SCALE;
  if (widthOf(widths) <= widest) return { fitToWidth: 1, fitToHeight: 0 };
  let repeated = keyColumns;
  while (widthOf(widths.slice(0, repeated)) > widest / 2) repeated--;
  return {
    scale: MIN_SCALE,
    pageOrder: 'overThenDown',
    ...(repeated > 0 && { printTitlesColumn: `A:${columnLetters(repeated)}` }),
  } as const;
}

function widthOf(widths: readonly number[]): number {
  return widths.reduce((sum, width) => sum + width, 0);
}

/** Shares only the empty text, which readers drop if it is written into its cell. Other texts would accumulate in memory. */
class EmptyText {
  readonly values: string[] = [];

  get count(): number {
    return this.values.length;
  }

  add(text: string): number | undefined {
    if (text !== '') return undefined;
    this.values[0] = text;
    return 0;
  }
}

/** Streams the XML of a sheet into the ZIP archive, in large chunks. */
export class SheetXml implements SheetStream {
  /** Characters written so far. */
  characters = 0;
  readonly stream = new PassThrough();
  #chunk = '';

  /** exceljs writes texts as results of formulas; as inline strings they keep white space at their ends. */
  write(text: string | { toBuffer(): Buffer }): void {
    const xml = (typeof text === 'string' ? text : text.toBuffer().toString()).replace(
      / t="str"><v>([^<]*)<\/v>/g,
      ' t="inlineStr"><is><t xml:space="preserve">$1</t></is>',
    );
    this.characters += xml.length;
    this.#chunk += xml;
    if (this.#chunk.length >= CHUNK_CHARACTERS) this.#flush();
  }

  end(): void {
    this.#flush();
    this.stream.end();
  }

  /** Required by exceljs; the stream does not flow before the ZIP writer reads it. */
  pause(): void {}

  /** Whether `drained` would wait. */
  get isFull(): boolean {
    return this.stream.writableNeedDrain;
  }

  /** Resolves when more may be written. @throws the signal's reason */
  async drained(signal: AbortSignal): Promise<void> {
    signal.throwIfAborted();
    if (!this.isFull) return;
    await once(this.stream, 'drain', { signal }).catch(() => signal.throwIfAborted());
  }

  #flush(): void {
    this.stream.write(Buffer.from(this.#chunk, 'utf8'));
    this.#chunk = '';
  }
}

/** The little of exceljs's streaming writer that workbooks use; the types of exceljs itself do not name this file. */
declare module 'exceljs/lib/stream/xlsx/workbook-writer.js' {
  import type { Readable, Writable } from 'node:stream';

  export type Cell = string | number | boolean | undefined;

  export interface SheetRow {
    font: { readonly bold: boolean };
    commit(): void;
  }

  /** Where the XML of a sheet goes. Its buffer is used again after each call. */
  export interface SheetStream {
    write(text: string | { toBuffer(): Buffer }): void;
    end(): void;
    pause(): void;
  }

  export interface Sheet {
    columns: readonly { readonly width: number }[];
    autoFilter: string;
    addRow(cells: readonly Cell[]): SheetRow;
    commit(): void;
  }

  export interface SheetOptions {
    readonly useSharedStrings: boolean;
    readonly views: readonly { readonly state: 'frozen'; readonly ySplit: number }[];
  }

  export interface ZipEntry {
    readonly name: string;
    readonly date?: Date;
  }

  export interface WorkbookOptions {
    readonly stream: Writable;
    readonly useStyles: boolean;
    readonly creator: string;
    readonly lastModifiedBy: string;
    readonly created: Date;
    readonly zip: { readonly zlib: { readonly level: number } };
  }

  class WorkbookWriter {
    constructor(options: WorkbookOptions);
    readonly zip: {
      append(source: Readable | string, entry: ZipEntry): void;
      on(event: 'error', listener: (error: Error) => void): void;
      abort(): void;
    };
    /** Texts that cells name by their place; `add` may decline, and the text stands in its cell. */
    sharedStrings: {
      readonly count: number;
      readonly values: readonly string[];
      add(text: string): number | undefined;
    };
    addWorksheet(name: string, options: SheetOptions): Sheet;
    addThemes(): Promise<void>;
    _openStream(path: string): SheetStream;
    commit(): Promise<unknown>;
  }

  export { WorkbookWriter as default };
}

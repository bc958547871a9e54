/** The little of exceljs's streaming writer that workbooks use; the types of exceljs itself do not name this file. */
declare module 'exceljs/lib/stream/xlsx/workbook-writer.js' {
  import type { Readable, Writable } from 'node:stream';

  export type Cell = string | number | boolean | Link | undefined;

  export interface Link {
    readonly text: string;
    /** Relative to the workbook, or `#'sheet'!A1`. */
    readonly hyperlink: string;
  }

  /** Cells with the same object share one style in the workbook. */
  export interface CellStyle {
    readonly font?: {
      readonly name: string;
      readonly size: number;
      readonly bold?: boolean;
      readonly underline?: boolean;
      readonly color?: { readonly argb: string };
    };
    readonly fill?: {
      readonly type: 'pattern';
      readonly pattern: 'solid';
      readonly fgColor: { readonly argb: string };
    };
    readonly alignment?: {
      readonly vertical: 'top' | 'middle';
      readonly horizontal?: 'left' | 'right';
      readonly indent?: number;
      readonly wrapText?: boolean;
    };
    readonly numFmt?: string;
  }

  export interface SheetRow {
    /** In points. */
    height: number;
    /** @param column from 1 */
    getCell(column: number): { style: CellStyle };
    commit(): void;
  }

  /** Where the XML of a sheet goes. Its buffer is used again after each call. */
  export interface SheetStream {
    write(text: string | { toBuffer(): Buffer }): void;
    end(): void;
    pause(): void;
  }

  export interface Sheet {
    columns: readonly {
      readonly width: number;
      readonly hidden: boolean;
      readonly outlineLevel: number;
    }[];
    autoFilter: string;
    addRow(cells: readonly Cell[]): SheetRow;
    commit(): void;
  }

  export interface SheetOptions {
    readonly useSharedStrings: boolean;
    /** How deep columns are grouped. */
    readonly properties: { readonly outlineLevelCol: number };
    readonly views: readonly {
      readonly state: 'frozen' | 'normal';
      readonly ySplit?: number;
      readonly showGridLines?: boolean;
    }[];
    readonly pageSetup: {
      readonly orientation: 'landscape';
      /** 9 is A4. */
      readonly paperSize: number;
      readonly printTitlesRow?: string;
      readonly printTitlesColumn?: string;
      /** Pages; 0 is any number. */
      readonly fitToWidth?: number;
      readonly fitToHeight?: number;
      /** In percent; nothing is fitted then. */
      readonly scale?: number;
      readonly pageOrder?: 'overThenDown';
    };
    readonly headerFooter: { readonly oddFooter: string };
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

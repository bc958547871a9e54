/** Types of the parts of exceljs's streaming writer that workbooks use; exceljs has no types for this file. */
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

  /** Receives the XML of a sheet. The caller reuses its buffer after each call. */
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
    /** Nesting depth of column groups. */
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
      /** Pages; 0 means any number. */
      readonly fitToWidth?: number;
      readonly fitToHeight?: number;
      /** In percent; replaces the fit. */
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
    description: string | undefined;
    readonly zip: {
      append(source: Readable | string, entry: ZipEntry): void;
      on(event: 'error', listener: (error: Error) => void): void;
      abort(): void;
    };
    /** Texts that cells refer to by index. If `add` returns undefined, the text is written into its cell. */
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

/** The little of parquetjs-lite that tests and benches use; it brings no types of its own. */
declare module 'parquetjs-lite' {
  export class ParquetReader {
    static openBuffer(bytes: Buffer): Promise<ParquetReader>;
    getCursor(): { next(): Promise<Record<string, unknown> | null> };
    close(): Promise<void>;
  }
  export class ParquetSchema {
    constructor(columns: object);
    readonly fields: object;
  }
  export class ParquetWriter {
    static openFile(schema: ParquetSchema, path: string): Promise<ParquetWriter>;
    appendRow(row: object): Promise<void>;
    close(): Promise<void>;
  }
}

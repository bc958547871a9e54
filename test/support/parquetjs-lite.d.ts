/** The little of parquetjs-lite that the tests use; it brings no types of its own. */
declare module 'parquetjs-lite' {
  export class ParquetReader {
    static openBuffer(bytes: Buffer): Promise<ParquetReader>;
    getCursor(): { next(): Promise<Record<string, unknown> | null> };
    close(): Promise<void>;
  }
}

/** A sink and a source of bytes in memory, instead of files. */
import type { ByteSink, ByteSource, RowFormat } from '../../../src/formats/format.js';
import type { Row, TableSchema } from '../../../src/model/table-schema.js';
import { rowFormats } from '../../../src/formats/formats.js';

/** Every format that can be read back. */
export const allFormats = await rowFormats();

export class MemorySink implements ByteSink {
  readonly chunks: Uint8Array[] = [];

  write(chunk: Uint8Array): Promise<void> {
    this.chunks.push(chunk);
    return Promise.resolve();
  }

  get bytes(): Buffer {
    return Buffer.concat(this.chunks);
  }
}

/** Hands out chunks of an odd size, so that nothing depends on where they end. */
export function memorySource(bytes: Uint8Array, chunkBytes = 1021): ByteSource {
  return {
    bytes: bytes.byteLength,
    // eslint-disable-next-line @typescript-eslint/require-await
    async *read({ start, end } = { start: 0, end: bytes.byteLength }) {
      for (let at = start; at < end; at += chunkBytes) {
        yield bytes.subarray(at, Math.min(at + chunkBytes, end));
      }
    },
  };
}

export async function writtenBytes(
  format: RowFormat,
  table: TableSchema,
  rows: readonly Row[],
): Promise<Buffer> {
  const sink = new MemorySink();
  const writer = format.openWriter(table, sink);
  await writer.write(rows);
  await writer.finish();
  return sink.bytes;
}

export async function readBack(
  format: RowFormat,
  table: TableSchema,
  bytes: Uint8Array,
): Promise<Row[]> {
  const rows: Row[] = [];
  for await (const batch of format.readRows(table, memorySource(bytes))) rows.push(...batch);
  return rows;
}

/** Damaged files: an error of ours, or the very same rows; never other rows, a foreign error or a hang. In Parquet this takes the log (I-28). */
import { describe, expect, it } from 'vitest';
import { type RowFormat, FormatError } from '../../../src/formats/format.js';
import { createJsonlFormat } from '../../../src/formats/jsonl/jsonl-format.js';
import { createParquetFormat } from '../../../src/formats/parquet/parquet-format.js';
import { defineTable, type Row } from '../../../src/model/table-schema.js';
import { memorySource, readBack, writtenBytes } from '../../support/base/memory-bytes.js';

const table = defineTable('things', {
  key: { id: 'int32' },
  rest: { text: 'string', size: 'int64', good: 'bool' },
});
const rows: readonly Row[] = Array.from({ length: 40 }, (_, id) => ({
  id,
  text: id % 3 === 0 ? null : `text ${id % 5}`,
  size: BigInt(id) ** 9n,
  good: id % 2 === 0,
}));

const formats: readonly (readonly [string, RowFormat])[] = [
  ['parquet with zstd', createParquetFormat({ rowGroupRows: 25 })],
  ['parquet with snappy', createParquetFormat({ codec: 'snappy', rowGroupRows: 25 })],
  ['jsonl', createJsonlFormat()],
];

async function outcome(format: RowFormat, bytes: Uint8Array): Promise<Row[] | FormatError> {
  try {
    return await readBack(format, table, bytes);
  } catch (error) {
    if (error instanceof FormatError) return error;
    throw error;
  }
}

describe.each(formats)('%s', (_name, format) => {
  it('that is cut short anywhere is refused', async () => {
    const bytes = await writtenBytes(format, table, rows);
    for (let length = 0; length < bytes.byteLength; length++) {
      expect(await outcome(format, bytes.subarray(0, length))).toBeInstanceOf(FormatError);
    }
  });

  it('of nothing but noise is refused', async () => {
    for (const length of [0, 1, 8, 12, 20, 1000, 70_000]) {
      const noise = Buffer.alloc(length, 'noise PAR1');
      expect(await outcome(format, noise)).toBeInstanceOf(FormatError);
      await expect(format.countRows(memorySource(noise))).rejects.toThrow(FormatError);
    }
  });

  it('whose source gives fewer bytes than it announced is refused', async () => {
    const bytes = await writtenBytes(format, table, rows);
    const short = memorySource(bytes.subarray(0, bytes.byteLength - 9));
    const source = { bytes: bytes.byteLength, read: short.read.bind(short) };
    const reading = (async () => {
      for await (const batch of format.readRows(table, source)) expect(batch).not.toEqual([]);
    })();
    await expect(reading).rejects.toThrow(FormatError);
  });
});

describe('jsonl', () => {
  const format = createJsonlFormat();

  it('with any one bit flipped is refused, or gives the same rows', async () => {
    const bytes = await writtenBytes(format, table, rows);
    let refused = 0;
    for (let at = 0; at < bytes.byteLength; at++) {
      const damaged = Buffer.from(bytes);
      damaged[at] = (damaged[at] ?? 0) ^ (1 << (at % 8));
      const found = await outcome(format, damaged);
      if (found instanceof FormatError) refused++;
      else expect(found).toEqual(rows);
    }
    // a gzip header has ten bytes of which most mean nothing
    expect(refused).toBeGreaterThanOrEqual(bytes.byteLength - 10);
  });

  it('with a range overwritten is refused', async () => {
    const bytes = await writtenBytes(format, table, rows);
    for (let at = 10; at < bytes.byteLength; at += 16) {
      const damaged = Buffer.from(bytes).fill(0xff, at, Math.min(at + 24, bytes.byteLength));
      expect(await outcome(format, damaged)).toBeInstanceOf(FormatError);
    }
  });
});

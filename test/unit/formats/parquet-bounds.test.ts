import { parquetMetadata, parquetReadObjects, type ColumnMetaData } from 'hyparquet';
import { expect, it } from 'vitest';
import {
  createParquetFormat,
  type ParquetOptions,
} from '../../../src/formats/parquet/parquet-format.js';
import { PlainValues } from '../../../src/formats/parquet/column-buffer.js';
import { Uint32List } from '../../../src/formats/parquet/uint32-list.js';
import {
  defineTable,
  type CellValue,
  type ColumnType,
  type Row,
} from '../../../src/model/table-schema.js';
import { writtenBytes } from '../../support/base/memory-bytes.js';

/** A column of these cells, as a Parquet library that is not the writer's own finds it. */
async function columnOf(
  type: ColumnType,
  cells: readonly CellValue[],
  options: ParquetOptions = { codec: 'uncompressed' },
) {
  const table = defineTable('things', { key: { id: 'int32' }, rest: { cell: type } });
  const rows = cells.map((cell, id): Row => ({ id, cell }));
  const bytes = Uint8Array.from(await writtenBytes(createParquetFormat(options), table, rows));
  const [group] = parquetMetadata(bytes.buffer).row_groups;
  const meta = group!.columns[1]!.meta_data!;
  const read = await parquetReadObjects({ file: bytes.buffer, utf8: true });
  return { meta, group: group!, cells: read.map(({ cell }) => cell as unknown) };
}

function boundsOf({ statistics }: ColumnMetaData): unknown[] {
  return [statistics?.min_value, statistics?.max_value];
}

const orders: [string, (texts: string[]) => string[]][] = [
  ['in order', (texts) => texts],
  ['in reverse', (texts) => texts.toReversed()],
  ['mixed', (texts) => [...texts.slice(3), ...texts.slice(0, 3)]],
];

it.each(orders)(
  'the statistics of a column chunk of texts are the bounds of their UTF-8: %s',
  async (_what, inOrder) => {
    const texts = ['', 'Z', 'a', 'aa', 'ab', 'aba', 'b', '\u00e9', '\uff5e', '\u{1f642}'];
    for (const [from, to] of [
      [0, 10],
      [1, 9],
      [2, 4],
      [3, 6],
      [4, 6],
      [6, 8],
    ] as const) {
      const slice = texts.slice(from, to);
      const { meta, cells } = await columnOf('string', inOrder(slice));
      expect(boundsOf(meta)).toEqual([slice[0], slice.at(-1)]);
      expect(meta.statistics?.is_min_value_exact).toBeUndefined();
      expect(meta.statistics?.is_max_value_exact).toBeUndefined();
      expect(cells).toEqual(inOrder(slice));
    }
  },
);

it('statistics of long texts have shorter bounds, marked as inexact, that exclude no value', async () => {
  const long = 'm'.repeat(100);
  const { meta } = await columnOf('string', [long, `${long}n`]);
  const [least, greatest] = boundsOf(meta) as string[];
  expect(least!.length).toBeLessThan(100);
  expect(least! <= long).toBe(true);
  expect(greatest!.length).toBeLessThan(100);
  expect(greatest! > `${long}n`).toBe(true);
  expect(meta.statistics).toMatchObject({ is_min_value_exact: false, is_max_value_exact: false });
  const { meta: half } = await columnOf('string', ['a', long]);
  expect(half.statistics?.min_value).toBe('a');
  expect(half.statistics?.is_min_value_exact).toBeUndefined();
  expect(half.statistics?.is_max_value_exact).toBe(false);
});

it.each<[ColumnType, CellValue[], unknown, unknown]>([
  ['int32', [3, -5, 9, null, 0], -5, 9],
  ['int32', [7], 7, 7],
  ['int64', [3n, null, -(2n ** 62n), 2n ** 62n, 1n], -(2n ** 62n), 2n ** 62n],
  ['ts', [3_000n, 1_000n, 2_000n], new Date(1), new Date(3)],
  ['bool', [true, null, false], false, true],
  ['bool', [true, true], true, true],
  ['bool', [false], false, false],
])(
  'the statistics of a column chunk of %s are the least and the greatest of %o',
  async (type, cells, least, greatest) => {
    for (const some of [cells, cells.toReversed()]) {
      const { meta } = await columnOf(type, some);
      expect(boundsOf(meta)).toEqual([least, greatest]);
      const nulls = some.filter((cell) => cell === null).length;
      expect(meta.statistics?.null_count).toBe(BigInt(nulls));
      expect(meta.num_values).toBe(BigInt(some.length));
    }
  },
);

it('the statistics of a column chunk have no bounds without a value', async () => {
  const { meta, cells } = await columnOf('string', [null, null]);
  expect([...boundsOf(meta), meta.statistics?.null_count]).toEqual([undefined, undefined, 2n]);
  expect(cells).toEqual([null, null]);
});

it('pages are a dictionary page and one data page of indexes if values repeat', async () => {
  const texts = Array.from({ length: 300 }, (_, at) => ['red', 'green', 'blue', null][at % 4]!);
  for (const codec of ['uncompressed', 'snappy'] as const) {
    const { meta, group, cells } = await columnOf('string', texts, { codec, dictionary: true });
    expect(meta.encodings).toEqual(['PLAIN', 'RLE_DICTIONARY']);
    expect(meta.dictionary_page_offset).toBeLessThan(meta.data_page_offset);
    expect(meta.encoding_stats).toEqual([
      { page_type: 'DICTIONARY_PAGE', encoding: 'PLAIN', count: 1 },
      { page_type: 'DATA_PAGE_V2', encoding: 'RLE_DICTIONARY', count: 1 },
    ]);
    expect(meta.statistics?.null_count).toBe(75n);
    expect(cells).toEqual(texts);
    const sums = group.columns.map(({ meta_data: column }) => column!.total_compressed_size);
    expect(group.total_compressed_size).toBe(sums.reduce((sum, bytes) => sum + bytes, 0n));
    const plain = group.columns.map(({ meta_data: column }) => column!.total_uncompressed_size);
    expect(group.total_byte_size).toBe(plain.reduce((sum, bytes) => sum + bytes, 0n));
    const without = await columnOf('string', texts, { codec, dictionary: false });
    expect(without.meta.encodings).toEqual(['PLAIN']);
  }
});

it('the pages of a column chunk end with the value that makes them a megabyte large', async () => {
  const halves = ['a', 'b', null, 'c', 'd', null, 'e'].map(
    (letter) => letter && letter.repeat(2 ** 19 - 4),
  );
  const { meta, cells } = await columnOf('string', halves);
  expect(meta.encoding_stats).toEqual([{ page_type: 'DATA_PAGE_V2', encoding: 'PLAIN', count: 3 }]);
  expect(meta.dictionary_page_offset).toBeUndefined();
  expect(cells).toEqual(halves);
  const exact = await columnOf('string', halves.slice(0, 2));
  expect(exact.meta.encoding_stats).toMatchObject([{ count: 1 }]);
  const shorter = await columnOf('string', ['x'.repeat(2 ** 20 - 5), 'y', 'z']);
  expect(shorter.meta.encoding_stats).toMatchObject([{ count: 2 }]);
});

it('the pages of a column chunk hold eight booleans a byte', async () => {
  const cells = Array.from({ length: 37 }, (_, at) => [true, false, null, true, true][at % 5]!);
  const { meta, cells: read } = await columnOf('bool', cells, {
    codec: 'uncompressed',
    dictionary: true,
  });
  expect(read).toEqual(cells);
  expect(meta.encodings).toEqual(['PLAIN']);
  expect(meta.total_compressed_size).toBe(meta.total_uncompressed_size);
  expect(meta.total_compressed_size).toBeLessThan(100n);
});

it('the pages of a column chunk have the sizes in their headers, before and after compression', async () => {
  const texts = Array.from({ length: 50 }, (_, at) => `${at} `.repeat(200));
  const plain = await columnOf('string', texts);
  expect(plain.meta.total_uncompressed_size).toBe(plain.meta.total_compressed_size);
  const small = await columnOf('string', texts, { codec: 'snappy' });
  expect(small.meta.total_compressed_size).toBeLessThan(plain.meta.total_compressed_size / 4n);
  const gap = small.meta.total_uncompressed_size - plain.meta.total_uncompressed_size;
  expect(gap > -16n && gap < 16n).toBe(true);
  expect(small.cells).toEqual(texts);
});

it('lists that are reused grow, end where they end, and are empty after they are cleared', () => {
  const list = new Uint32List();
  for (const count of [1000, 3, 257, 0]) {
    for (let at = 0; at < count; at++) list.push(at * 3);
    expect(Array.from(list.view())).toEqual(Array.from({ length: count }, (_, at) => at * 3));
    expect([list.at(count - 1), list.at(count)]).toEqual([
      count === 0 ? undefined : (count - 1) * 3,
      undefined,
    ]);
    list.clear();
    expect(list).toHaveLength(0);
  }
});

it('reused lists keep their memory if it was used, and free it if less than a quarter was', () => {
  const list = new Uint32List();
  for (const [count, isKept] of [
    [1000, true],
    [256, true],
    [255, false],
  ] as const) {
    for (let at = 0; at < count; at++) list.push(at);
    const { buffer } = list.view();
    list.clear();
    expect(list.view().buffer === buffer).toBe(isKept);
  }
  const values = new PlainValues();
  values.append('x'.repeat(4096));
  const { byteLength } = values.view(0, 0).buffer;
  values.clear();
  expect(values.view(0, 0).buffer.byteLength).toBe(byteLength);
  values.append('short');
  values.clear();
  expect(values.view(0, 0).buffer.byteLength).toBe(1024);
});

it('reused lists free the memory of a text of many megabytes, which hardly ever comes again', () => {
  const values = new PlainValues();
  values.append('x'.repeat(12_000_000));
  values.clear();
  expect(values.view(0, 0).buffer.byteLength).toBe(1024);
});

import { parquetMetadata } from 'hyparquet';
import { expect, it } from 'vitest';
import { type ByteSink, FormatError } from '../../../src/formats/format.js';
import { createParquetFormat } from '../../../src/formats/parquet/parquet-format.js';
import { defineTable, type Row } from '../../../src/model/table-schema.js';
import {
  MemorySink,
  memorySource,
  readBack,
  writtenBytes,
} from '../../support/base/memory-bytes.js';

const table = defineTable('things', {
  key: { id: 'int32' },
  rest: { text: 'string', size: 'int64', at: 'ts', good: 'bool' },
});

function thing(id: number, text: string | null = `thing ${id}`): Row {
  return { id, text, size: BigInt(id), at: 0n, good: true };
}

const things = (count: number) => Array.from({ length: count }, (_, id) => thing(id));

function rowGroupsOf(bytes: Uint8Array): number[] {
  const copy = new Uint8Array(bytes);
  return parquetMetadata(copy).row_groups.map((group) => Number(group.num_rows));
}

it('Columns that are not needed are not decoded, and are null', async () => {
  const format = createParquetFormat({ rowGroupRows: 2 });
  const bytes = await writtenBytes(format, table, things(3));
  const read: Row[] = [];
  for await (const rows of format.readRows(table, memorySource(bytes), ['text'])) {
    read.push(...rows);
  }
  expect(read).toEqual([0, 1, 2].map((id) => thing(id, null)));
});

it('Rows of sessions that are not wanted are blank, and are counted', async () => {
  const owned = defineTable('owned', {
    key: { user_id: 'string', session_id: 'string', id: 'int32' },
    rest: { text: 'string' },
  });
  const sessions = ['a', 'a', 'a', 'b', 'c', 'b'];
  const rows = sessions.map((session, id): Row => {
    return { user_id: 'u', session_id: session, id, text: `thing ${id}` };
  });
  const format = createParquetFormat({ rowGroupRows: 2 });
  const bytes = await writtenBytes(format, owned, rows);
  const read: Row[] = [];
  const source = memorySource(bytes);
  const wanted = (user: string, session: string) => user === 'u' && session === 'b';
  for await (const some of format.readRows(owned, source, [], wanted)) read.push(...some);
  const blank = { user_id: null, session_id: null, id: null, text: null };
  expect(read).toEqual([blank, blank, blank, rows[3], blank, rows[5]]);
});

it('row groups are closed at the given number of rows', async () => {
  const bytes = await writtenBytes(createParquetFormat({ rowGroupRows: 10 }), table, things(25));
  expect(rowGroupsOf(bytes)).toEqual([10, 10, 5]);
});

it('row groups are closed at the given number of bytes', async () => {
  const rows = Array.from({ length: 9 }, (_, id) => thing(id, `${'x'.repeat(1000)}${id}`));
  const bytes = await writtenBytes(createParquetFormat({ rowGroupBytes: 3000 }), table, rows);
  expect(rowGroupsOf(bytes)).toEqual([3, 3, 3]);
});

it('row groups hold one row where a single row is larger than the bound', async () => {
  const rows = [thing(1, 'x'.repeat(5000)), thing(2), thing(3, 'y'.repeat(5000))];
  const format = createParquetFormat({ rowGroupBytes: 50 });
  const bytes = await writtenBytes(format, table, rows);
  expect(rowGroupsOf(bytes)).toEqual([1, 1, 1]);
  expect(await readBack(format, table, bytes)).toEqual(rows);
});

it.each([
  ['short', 'the same'],
  ['long', 'the same '.repeat(100)],
  ['empty', ''],
])(
  'row groups begin with the text that the one before ended with: a %s one',
  async (_what, text) => {
    const rows = [thing(0, 'another'), ...[1, 2, 3, 4, 5, 6].map((id) => thing(id, text))];
    const format = createParquetFormat({ rowGroupRows: 2 });
    const bytes = await writtenBytes(format, table, rows);
    expect(await readBack(format, table, bytes)).toEqual(rows);
  },
);

it('row groups distinguish texts that take turns, whatever the last two were', async () => {
  const turns = ['a', 'b', 'a', 'b', 'c', 'a', 'c', null, 'c', 'b', 'b', 'a', 'd', 'c'];
  const rows = [...turns, ...turns].map((text, id) => thing(id, text));
  const format = createParquetFormat({ rowGroupRows: turns.length });
  const bytes = await writtenBytes(format, table, rows);
  expect(await readBack(format, table, bytes)).toEqual(rows);
});

it('row groups reach the sink while later rows are still to come', async () => {
  const sink = new MemorySink();
  const writer = createParquetFormat({ rowGroupRows: 10 }).openWriter(table, sink);
  await writer.write(things(9));
  expect(sink.bytes.byteLength).toBe(0);
  await writer.write(things(1));
  expect(sink.bytes.byteLength).toBeGreaterThan(100);
  const { rows } = await writer.finish();
  expect(rows).toBe(10);
});

it('row groups wait for a slow sink, one at a time', async () => {
  let open = 0;
  let most = 0;
  const sink: ByteSink = {
    async write() {
      most = Math.max(most, ++open);
      await new Promise(setImmediate);
      open--;
    },
  };
  const writer = createParquetFormat({ rowGroupRows: 2 }).openWriter(table, sink);
  await writer.write(things(20));
  await writer.finish();
  expect(most).toBe(1);
});

it('pending bytes count what is buffered, and what was written afterwards', async () => {
  const sink = new MemorySink();
  const writer = createParquetFormat().openWriter(table, sink);
  expect(writer.pendingBytes).toBe(0);
  await writer.write([thing(1, 'x'.repeat(10_000))]);
  expect(writer.pendingBytes).toBeGreaterThanOrEqual(10_000);
  await writer.finish();
  expect(writer.pendingBytes).toBe(sink.bytes.byteLength);
});

it.each([
  [{ ...thing(1), id: null }, 'things.id must be int32, never null, but a row has null'],
  [{ ...thing(1), id: 2 ** 31 }, 'but a row has the number 2147483648'],
  [{ ...thing(1), id: 1.5 }, 'but a row has the number 1.5'],
  [{ ...thing(1), id: NaN }, 'but a row has the number NaN'],
  [{ ...thing(1), text: 7 }, 'things.text must be string or null, but a row has the number 7'],
  [{ ...thing(1), size: 7 }, 'things.size must be int64 or null, but a row has the number 7'],
  [{ ...thing(1), size: 2n ** 63n }, 'but a row has the bigint 9223372036854775808'],
  [{ ...thing(1), at: 2n ** 63n - 1n }, 'things.at must be ts or null'],
  [{ ...thing(1), good: 'true' }, 'things.good must be bool or null, but a row has a string'],
  [{ id: 1 }, 'things.text must be string or null, but a row has no value'],
])('the writer refuses a row that is not of its table: %o', async (row, message) => {
  const writer = createParquetFormat().openWriter(table, new MemorySink());
  const writing = writer.write([row]);
  await expect(writing).rejects.toThrow(FormatError);
  await expect(writing).rejects.toThrow(message);
});

it('the writer never finishes a file that lost rows to a failed sink', async () => {
  const full = new Error('no space left');
  const sink: ByteSink = { write: () => Promise.reject(full) };
  const writer = createParquetFormat({ rowGroupRows: 1 }).openWriter(table, sink);
  await expect(writer.write(things(1))).rejects.toBe(full);
  await expect(writer.write(things(1))).rejects.toBe(full);
  await expect(writer.finish()).rejects.toBe(full);
});

// I-26 in FORMAT.md
it('the writer turns half a surrogate pair into U+FFFD', async () => {
  const format = createParquetFormat();
  const bytes = await writtenBytes(format, table, [
    thing(1, 'a\uD83D'),
    thing(2, `${'b'.repeat(20)}\uDE00c`),
  ]);
  const [first, second] = await readBack(format, table, bytes);
  expect(first?.['text']).toBe('a\uFFFD');
  expect(second?.['text']).toBe(`${'b'.repeat(20)}\uFFFDc`);
});

it('the writer writes the same bytes for the same rows', async () => {
  const format = createParquetFormat();
  expect(await writtenBytes(format, table, things(100))).toEqual(
    await writtenBytes(format, table, things(100)),
  );
});

it('the reader yields batches of bounded size', async () => {
  const format = createParquetFormat();
  const bytes = await writtenBytes(format, table, things(2500));
  const sizes: number[] = [];
  for await (const batch of format.readRows(table, memorySource(bytes, 65_536))) {
    sizes.push(batch.length);
  }
  expect(sizes).toEqual([1000, 1000, 500]);
});

it('the reader counts rows from the end of the file alone', async () => {
  const format = createParquetFormat({ codec: 'uncompressed' });
  const rows = Array.from({ length: 50 }, (_, id) => thing(id, `${id}${'x'.repeat(10_000)}`));
  const bytes = await writtenBytes(format, table, rows);
  let lowest = Infinity;
  const source = memorySource(bytes);
  const watched: typeof source = {
    bytes: source.bytes,
    read: (range) => {
      lowest = Math.min(lowest, range?.start ?? 0);
      return source.read(range);
    },
  };
  expect(await format.countRows(watched)).toBe(50);
  expect(lowest).toBeGreaterThan(bytes.byteLength - 100_000);
});

it.each([
  ['a column less', { id: 'int32' }, { text: 'string', size: 'int64', at: 'ts' }],
  [
    'a column more',
    { id: 'int32' },
    { text: 'string', size: 'int64', at: 'ts', good: 'bool', more: 'bool' },
  ],
  ['another order', { id: 'int32' }, { size: 'int64', text: 'string', at: 'ts', good: 'bool' }],
  ['another type', { id: 'int32' }, { text: 'string', size: 'ts', at: 'ts', good: 'bool' }],
  ['another name', { id: 'int32' }, { texts: 'string', size: 'int64', at: 'ts', good: 'bool' }],
  ['another key', { id: 'int32', text: 'string' }, { size: 'int64', at: 'ts', good: 'bool' }],
] as const)('the reader refuses a table with %s', async (_what, key, rest) => {
  const format = createParquetFormat();
  const bytes = await writtenBytes(format, table, things(3));
  await expect(readBack(format, defineTable('things', { key, rest }), bytes)).rejects.toThrow(
    FormatError,
  );
});

it('the reader passes on what the source throws', async () => {
  const lost = new Error('connection lost');
  const source = {
    bytes: 10_000,
    // eslint-disable-next-line @typescript-eslint/require-await, require-yield
    async *read(): AsyncGenerator<Uint8Array> {
      throw lost;
    },
  };
  const format = createParquetFormat();
  await expect(format.countRows(source)).rejects.toBe(lost);
  await expect(format.readRows(table, source)[Symbol.asyncIterator]().next()).rejects.toBe(lost);
});

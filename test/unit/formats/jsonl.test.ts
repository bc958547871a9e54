import { gunzipSync, gzipSync } from 'node:zlib';
import { expect, it } from 'vitest';
import { type ByteSink, type ByteSource, FormatError } from '../../../src/formats/format.js';
import { createJsonlFormat } from '../../../src/formats/jsonl/jsonl-format.js';
import { gzippedLines } from '../../../src/formats/jsonl/gzipped-lines.js';
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
const format = createJsonlFormat();

function thing(id: number, rest: Partial<Row> = {}): Row {
  return { id, text: null, size: null, at: null, good: null, ...rest };
}

async function linesOf(rows: readonly Row[]): Promise<string> {
  return gunzipSync(await writtenBytes(format, table, rows)).toString('utf8');
}

async function all<T>(batches: AsyncIterable<T>): Promise<T[]> {
  const found: T[] = [];
  for await (const batch of batches) found.push(batch);
  return found;
}

it('a line has every column in order, nulls among them', async () => {
  expect(await linesOf([thing(1)])).toBe(
    '{"id":1,"text":null,"size":null,"at":null,"good":null}\n',
  );
});

it('a line has every digit of an integer, microseconds of a timestamp, and text as JSON has it', async () => {
  const row = thing(1, { text: '"\n🙂', size: 2n ** 63n - 1n, at: 1_732_182_994_290_544n });
  expect(await linesOf([{ ...row, good: false }])).toBe(
    '{"id":1,"text":"\\"\\n🙂","size":9223372036854775807,"at":"2024-11-21T09:56:34.290544Z","good":false}\n',
  );
});

it('a line has U+FFFD where half a surrogate pair was, which no UTF-8 can hold', async () => {
  const bytes = await writtenBytes(format, table, [thing(1, { text: 'a\uD83Db' })]);
  expect((await readBack(format, table, bytes))[0]?.['text']).toBe('a\uFFFDb');
});

it('a line keeps years beyond 9999', async () => {
  const rows = [
    thing(1, { at: 253_402_300_800_000_001n }),
    thing(2, { at: -8_640_000_000_000_000_000n }),
  ];
  const bytes = await writtenBytes(format, table, rows);
  expect(await readBack(format, table, bytes)).toEqual(rows);
});

it.each([
  ['', 'not JSON'],
  ['{', 'not JSON'],
  ['[]', 'not a JSON object'],
  ['null', 'not a JSON object'],
  ['5', 'not a JSON object'],
  ['{"id":1}', 'are not the columns of things'],
  ['{"text":null,"id":1,"size":null,"at":null,"good":null}', 'are not the columns of things'],
  ['{"id":1,"text":null,"size":null,"at":null,"good":null,"x":1}', 'are not the columns of things'],
  ['{"id":null,"text":null,"size":null,"at":null,"good":null}', 'things.id must be int32'],
  ['{"id":1,"text":5,"size":null,"at":null,"good":null}', 'things.text must be string'],
  ['{"id":1,"text":null,"size":1.5,"at":null,"good":null}', 'size is not an integer'],
  ['{"id":1,"text":null,"size":1e300,"at":null,"good":null}', 'size is not an integer'],
  [
    '{"id":1,"text":null,"size":9223372036854775808,"at":null,"good":null}',
    'things.size must be int64',
  ],
  ['{"id":1,"text":null,"size":"1","at":null,"good":null}', 'things.size must be int64'],
  ['{"id":1,"text":null,"size":null,"at":"yesterday","good":null}', 'at is not an ISO 8601 time'],
  [
    '{"id":1,"text":null,"size":null,"at":"2026-13-01T00:00:00.000000Z","good":null}',
    'at is not an ISO 8601 time',
  ],
  ['{"id":1,"text":null,"size":null,"at":7,"good":null}', 'things.at must be ts'],
  ['{"id":1,"text":null,"size":null,"at":null,"good":"true"}', 'things.good must be bool'],
])('a line that is not the table’s is refused: %s', async (line, message) => {
  const reading = readBack(format, table, gzipSync(`${line}\n`));
  await expect(reading).rejects.toThrow(FormatError);
  await expect(reading).rejects.toThrow(message);
});

it('a line is read with integers as JSON may write them', async () => {
  const line = (size: string) => `{"id":1,"text":null,"size":${size},"at":null,"good":null}`;
  const sizes = ['1e3', ' 7.0 ', ' 9223372036854775807 ', '-9223372036854775808'];
  const rows = await readBack(format, table, gzipSync(sizes.map(line).join('\n')));
  expect(rows.map(({ size }) => size)).toEqual([1000n, 7n, 2n ** 63n - 1n, -(2n ** 63n)]);
});

it('a line that is not JSON is refused with what the parser said', async () => {
  const reading = readBack(format, table, gzipSync('{"id":\n'));
  await expect(reading).rejects.toMatchObject({ cause: expect.any(SyntaxError) as unknown });
});

it('a line that is not UTF-8 is refused', async () => {
  const line = Buffer.from('{"id":1,"text":"\xFF","size":null,"at":null,"good":null}\n', 'latin1');
  await expect(readBack(format, table, gzipSync(line))).rejects.toThrow('A line is not UTF-8');
});

it('the file is read whatever the size of its chunks', async () => {
  const rows = Array.from({ length: 400 }, (_, id) => thing(id, { text: 'é🙂'.repeat(id % 200) }));
  const bytes = await writtenBytes(format, table, rows);
  for (const chunkBytes of [1, 7, 100_000]) {
    const found: Row[] = [];
    for await (const batch of format.readRows(table, memorySource(bytes, chunkBytes))) {
      found.push(...batch);
    }
    expect(found).toEqual(rows);
  }
});

it('the file may end without a line break', async () => {
  const rows = [thing(1), thing(2, { text: 'the last' })];
  const bytes = gzipSync((await linesOf(rows)).trimEnd());
  expect(await readBack(format, table, bytes)).toEqual(rows);
  expect(await format.countRows(memorySource(bytes))).toBe(2);
  expect(await format.countRows(memorySource(gzipSync('')))).toBe(0);
});

it('the file holds lines of every length, long ones among short ones', async () => {
  const lengths = [1, 43_000, 60_000, 2, 131_072, 140_000, 3, 64, 65];
  const rows = lengths.map((length, id) => thing(id, { text: '\u20AC'.repeat(length) }));
  const bytes = await writtenBytes(format, table, rows);
  const batches = await all(format.readRows(table, memorySource(bytes)));
  expect(batches.flat()).toEqual(rows);
  expect(batches).not.toContainEqual([]);
  expect(await format.countRows(memorySource(bytes))).toBe(lengths.length);
});

it('the file is refused where a line is longer than a text may be', async () => {
  const source = memorySource(gzipSync(`short\n${'x'.repeat(200_000)}\nshort`));
  const linesUpTo = async (bytes: number) => {
    const batches = await all(gzippedLines(source, bytes));
    return batches.flat().map(({ byteLength }) => byteLength);
  };
  expect(await linesUpTo(200_000)).toEqual([5, 200_000, 5]);
  const last = memorySource(gzipSync('0123456789'));
  expect(await all(gzippedLines(last, 10))).toEqual([[Buffer.from('0123456789')]]);
  const reading = linesUpTo(100_000);
  await expect(reading).rejects.toThrow(FormatError);
  await expect(reading).rejects.toThrow('A line is longer than 100000 bytes');
});

it('the file reaches the sink while later rows are still to come', async () => {
  const sink = new MemorySink();
  const writer = format.openWriter(table, sink);
  for (let id = 0; id < 60; id++) {
    await writer.write([thing(id, { text: crypto.randomUUID().repeat(2000) })]);
  }
  const before = sink.bytes.byteLength;
  expect(before).toBeGreaterThan(1000);
  expect(writer.pendingBytes).toBeGreaterThanOrEqual(before);
  expect(await writer.finish()).toEqual({ rows: 60 });
  expect(writer.pendingBytes).toBe(sink.bytes.byteLength);
});

it('the file is never finished when the sink failed', async () => {
  const full = new Error('no space left');
  let calls = 0;
  const sink: ByteSink = {
    write: () => (++calls > 1 ? Promise.reject(full) : Promise.resolve()),
  };
  const writer = format.openWriter(table, sink);
  const rows = Array.from({ length: 3000 }, (_, id) =>
    thing(id, { text: crypto.randomUUID().repeat(9) }),
  );
  await expect(writer.write(rows).then(() => writer.finish())).rejects.toBe(full);
  await expect(writer.finish()).rejects.toBe(full);
});

it('the file that is empty, or no gzip at all, is refused', async () => {
  for (const bytes of [Buffer.alloc(0), Buffer.from('{"id":1}\n')]) {
    await expect(readBack(format, table, bytes)).rejects.toThrow(FormatError);
    await expect(format.countRows(memorySource(bytes))).rejects.toThrow(FormatError);
  }
});

it('the file that is cut short is refused, with what gunzip found', async () => {
  const bytes = await writtenBytes(format, table, [thing(1)]);
  const error: unknown = await format
    .countRows(memorySource(bytes.subarray(0, -9)))
    .catch((reason: unknown) => reason);
  expect(error).toMatchObject({
    message: 'The gzip stream is damaged: unexpected end of file',
    cause: { code: 'Z_BUF_ERROR' },
  });
});

it('the file is read from a source that cannot be stopped early', async () => {
  const bytes = await writtenBytes(format, table, [thing(1)]);
  const chunks = [bytes];
  const next = () => Promise.resolve({ value: chunks.shift(), done: false });
  const end = () => Promise.resolve({ value: undefined, done: true });
  const iterator = { next: () => (chunks.length > 0 ? next() : end()) };
  const source = {
    bytes: bytes.byteLength,
    read: () => ({ [Symbol.asyncIterator]: () => iterator }),
  };
  expect(await format.countRows(source as unknown as ByteSource)).toBe(1);
});

it('the file lets its reader stop early', async () => {
  const rows = Array.from({ length: 5000 }, (_, id) => thing(id, { text: `${id}`.repeat(50) }));
  const bytes = await writtenBytes(format, table, rows);
  let isReleased = false;
  const source = {
    bytes: bytes.byteLength,
    async *read() {
      try {
        yield* memorySource(bytes).read();
      } finally {
        isReleased = true;
      }
    },
  };
  for await (const batch of format.readRows(table, source)) {
    expect(batch.length).toBeGreaterThan(0);
    break;
  }
  await new Promise(setImmediate);
  expect(isReleased).toBe(true);
});

it('the file passes on what the source throws', async () => {
  const lost = new Error('connection lost');
  const bytes = await writtenBytes(format, table, [thing(1)]);
  const source = {
    bytes: 10_000,
    // eslint-disable-next-line @typescript-eslint/require-await
    async *read(): AsyncGenerator<Uint8Array> {
      yield bytes.subarray(0, 20);
      throw lost;
    },
  };
  await expect(format.countRows(source)).rejects.toBe(lost);
});

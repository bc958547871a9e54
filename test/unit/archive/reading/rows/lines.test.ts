import { gunzipSync, gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { readGzipLines, writeGzipLines } from '../../../../../src/archive/log/gzip-lines.js';
import { Spool } from '../../../../../src/archive/reading/rows/spool.js';
import { lineOf, rowOf } from '../../../../../src/archive/reading/rows/row-lines.js';
import { artifactsTable, jobsTable, sessionsTable } from '../../../../../src/model/tables.js';
import type { Row } from '../../../../../src/model/table-schema.js';
import { createMemoryStorage } from '../../../../support/store/memory-storage.js';

async function all<T>(items: AsyncIterable<T>): Promise<T[]> {
  const read: T[] = [];
  for await (const item of items) read.push(item);
  return read;
}

async function* chunks(bytes: Uint8Array, size = bytes.length): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < bytes.length; at += size) {
    yield await Promise.resolve(bytes.subarray(at, at + size));
  }
}

async function written(lines: readonly string[]) {
  const parts: Uint8Array[] = [];
  const write = (chunk: Uint8Array) => Promise.resolve(void parts.push(Uint8Array.from(chunk)));
  const count = await writeGzipLines(lines, { write });
  return { count, bytes: Buffer.concat(parts) };
}

it('gzipped lines are counted, and each ends with a line feed', async () => {
  const { count, bytes } = await written(['ä', '', 'b']);
  expect([count, gunzipSync(bytes).toString()]).toEqual([3, 'ä\n\nb\n']);
  expect(await written([])).toMatchObject({ count: 0 });
});

it('gzipped lines are read as they were written, however many and however cut', async () => {
  const lines = Array.from({ length: 3000 }, (_, n) => `${n} ${'ü'.repeat(n % 90)}`);
  const { bytes } = await written(lines);
  expect(await all(readGzipLines(chunks(bytes)))).toEqual(lines);
  expect(await all(readGzipLines(chunks(bytes, 7)))).toEqual(lines);
});

it.each([
  ['without a line feed at the end', gzipSync('a\nb'), 'the last line has no line feed'],
  ['that is no gzip', Buffer.from('a\n'), 'incorrect header check'],
  ['cut off', gzipSync('a\nb\n').subarray(0, 12), 'unexpected end of file'],
  ['not in UTF-8', gzipSync(Buffer.from([0x61, 0xff, 0x0a])), 'not valid'],
  ['that ends within a character', gzipSync(Buffer.from([0x61, 0x0a, 0xc3])), 'not valid'],
])('gzipped lines are refused: %s', async (_, bytes, message) => {
  await expect(all(readGzipLines(chunks(bytes)))).rejects.toThrow(message);
});

it('gzipped lines pass an error of their source on', async () => {
  async function* broken(): AsyncGenerator<Uint8Array> {
    yield gzipSync('a\n').subarray(0, 5);
    throw await Promise.resolve(new Error('no route'));
  }
  await expect(all(readGzipLines(broken()))).rejects.toThrow('no route');
});

it('a spool gives the lines of each bucket back, in order', async () => {
  const storage = createMemoryStorage();
  const spool = await Spool.open(storage, 3);
  expect(spool.size).toBe(3);
  const long = 'ü'.repeat(50_000);
  for (const line of ['a', long, long, 'b', '']) await spool.add(0, line);
  await spool.add(2, 'c');
  await spool.close();
  expect(await all(spool.lines(0))).toEqual(['a', long, long, 'b', '']);
  expect(await all(spool.lines(1))).toEqual([]);
  expect(await all(spool.lines(2))).toEqual(['c']);
  expect(await all(spool.lines(3))).toEqual([]);
  await spool.discard();
  expect(storage.place.staged.size).toBe(0);
});

it('a spool writes no line twice, and in blocks of 64 KiB', async () => {
  const storage = createMemoryStorage();
  const sizes: number[] = [];
  const stage = async () => {
    const staged = await storage.stage();
    const write = (chunk: Uint8Array) => {
      sizes.push(chunk.length);
      return staged.write(chunk);
    };
    return { ...staged, write };
  };
  const spool = await Spool.open({ ...storage, stage }, 1);
  await spool.add(0, 'x'.repeat(65_534));
  expect(sizes).toEqual([]);
  await spool.add(0, '');
  expect(sizes).toEqual([65_536]);
  await spool.close();
  expect(sizes).toEqual([65_536]);
  expect(await all(spool.lines(0))).toEqual(['x'.repeat(65_534), '']);
  await spool.discard();
});

it('a spool leaves nothing where it cannot be opened', async () => {
  const storage = createMemoryStorage();
  let stages = 0;
  const stage = () => (++stages === 3 ? Promise.reject(new Error('disk full')) : storage.stage());
  await expect(Spool.open({ ...storage, stage }, 3)).rejects.toThrow('disk full');
  expect(storage.place.staged.size).toBe(0);
});

describe('lines', () => {
  const tables = [sessionsTable, jobsTable, artifactsTable];

  it('a row on a line is read back cell by cell', () => {
    for (const table of tables) {
      const cells = table.columns.map(({ name, type }): [string, Row[string]] => {
        if (type === 'ts' || type === 'int64') return [name, 9_007_199_254_740_993n];
        return [name, type === 'bool' ? true : type === 'string' ? `"${name}"\n` : 7];
      });
      const row: Row = Object.fromEntries(cells);
      const line = lineOf(table, row);
      expect(line).not.toContain('\n');
      expect(rowOf(tables, line)).toEqual({ table: table.name, row });
    }
  });

  it('a row on a line has null where it has no value', () => {
    const empty = Object.fromEntries(jobsTable.columns.map(({ name }) => [name, null]));
    expect(rowOf(tables, lineOf(jobsTable, {}))).toEqual({ table: 'jobs', row: empty });
    expect(rowOf(tables, '["jobs"]')).toEqual({ table: 'jobs', row: empty });
    expect(rowOf(tables, '["strange",1]')).toEqual({ table: 'strange', row: {} });
  });
});

/** What people do with the files: filters over many row groups, globs, types they need not spell out. */
import { mkdtemp, open, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createJsonlFormat } from '../../../src/formats/jsonl/jsonl-format.js';
import { createParquetFormat } from '../../../src/formats/parquet/parquet-format.js';
import type { RowFormat } from '../../../src/formats/format.js';
import { defineTable, type Row } from '../../../src/model/table-schema.js';
import { formatTimestamp } from '../../../src/model/times/timestamp.js';
import { duckDbRows, sqlText } from '../../support/tables/duckdb-rows.js';

const table = defineTable('things', { key: { id: 'int32' }, rest: { v: 'string', at: 'ts' } });

let directory: string;
beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'jobvault-formats-'));
});
afterAll(() => rm(directory, { recursive: true, force: true }));

async function writeFileOf(format: RowFormat, name: string, rows: readonly Row[]): Promise<string> {
  const path = join(directory, `${name}.${format.extension}`);
  const file = await open(path, 'w');
  const writer = format.openWriter(table, {
    write: async (chunk) => {
      await file.write(chunk);
    },
  });
  await writer.write(rows);
  await writer.finish();
  await file.close();
  return path;
}

describe('a filter in DuckDB', () => {
  // Statistics in UTF-16 order put the private use area after emoji, and DuckDB then skips the row group.
  const words = [
    '🙂 smile',
    '\uE000 private',
    '\uFFFD',
    'plain',
    'é',
    '日本',
    '👩‍👩‍👧‍👦',
    `🙂${'x'.repeat(40)}`,
    '\uFFFF',
    '',
    'z',
  ];
  const rows = Array.from({ length: 500 }, (_, id) => ({
    id,
    v: words[id % words.length] ?? '',
    at: BigInt(id) * 1_000_003n - 100_000_000n,
  }));

  it.each([
    ['row groups of 3 rows', createParquetFormat({ rowGroupRows: 3 })],
    [
      'row groups of 3 rows without dictionaries',
      createParquetFormat({ rowGroupRows: 3, dictionary: false }),
    ],
    ['one row group', createParquetFormat()],
  ])('finds every text by equality and by range in %s', async (name, format) => {
    const path = await writeFileOf(format, name.replaceAll(' ', '-'), rows);
    for (const word of words) {
      const wanted = rows.filter(({ v }) => v === word).length;
      const equal = `SELECT count(*) AS n FROM read_parquet(${sqlText(path)}) WHERE v = ${sqlText(word)}`;
      const range = `${equal.replace(' = ', ' >= ')} AND v <= ${sqlText(word)}`;
      expect(await duckDbRows(equal)).toEqual([{ n: BigInt(wanted) }]);
      expect(await duckDbRows(range)).toEqual([{ n: BigInt(wanted) }]);
    }
  });

  it('finds timestamps before and after 1970 to the microsecond', async () => {
    const path = await writeFileOf(createParquetFormat({ rowGroupRows: 10 }), 'times', rows);
    for (const id of [1, 150]) {
      const time = formatTimestamp(rows[id]?.at ?? 0n);
      const sql = `SELECT id FROM read_parquet(${sqlText(path)}) WHERE "at" = TIMESTAMPTZ ${sqlText(time)}`;
      expect(await duckDbRows(sql)).toEqual([{ id }]);
    }
  });
});

it('a glob reads Parquet files of several runs as one table', async () => {
  const format = createParquetFormat();
  await writeFileOf(format, 'glob-1', [{ id: 1, v: 'a', at: 0n }]);
  await writeFileOf(format, 'glob-2', []);
  await writeFileOf(format, 'glob-3', [{ id: 2, v: null, at: null }]);
  const sql = `SELECT id, v FROM read_parquet(${sqlText(join(directory, 'glob-*.parquet'))}) ORDER BY id`;
  expect(await duckDbRows(sql)).toEqual([
    { id: 1, v: 'a' },
    { id: 2, v: null },
  ]);
});

it('a glob reads gzipped JSON lines without being told their types', async () => {
  const path = await writeFileOf(createJsonlFormat(), 'untold', [{ id: 1, v: 'a', at: 1n }]);
  expect(await duckDbRows(`SELECT id, v FROM ${sqlText(path)}`)).toEqual([{ id: 1n, v: 'a' }]);
});

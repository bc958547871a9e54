/** Every format, every table, the rows that break writers: read back by us and by a stranger. */
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { RowFormat } from '../../src/formats/format.js';
import { PARQUET_CODECS, ROW_FORMATS } from '../../src/formats/formats.js';
import { createParquetFormat } from '../../src/formats/parquet/parquet-format.js';
import type { TableSchema } from '../../src/model/table-schema.js';
import { TABLES } from '../../src/model/tables.js';
import { awkwardRows } from '../support/tables/awkward-rows.js';
import {
  DUCKDB_TYPES,
  duckDbColumns,
  duckDbTable,
  sqlText,
} from '../support/tables/duckdb-rows.js';
import { allFormats, memorySource, readBack, writtenBytes } from '../support/base/memory-bytes.js';

let directory: string;
beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'jobvault-formats-'));
});
afterAll(() => rm(directory, { recursive: true, force: true }));

const formats: readonly (readonly [string, RowFormat])[] = [
  ...allFormats.map((format) => [format.name, format] as const),
  ...PARQUET_CODECS.map((codec) => [`parquet, ${codec}`, createParquetFormat({ codec })] as const),
  ['parquet in row groups of 7 rows', createParquetFormat({ rowGroupRows: 7 })],
  ['parquet in row groups of 50 KB', createParquetFormat({ rowGroupBytes: 50_000 })],
];

/** What DuckDB reads the file with, told the columns where the file does not tell them. */
function duckDbSource(format: RowFormat, table: TableSchema, path: string): string {
  const record = ROW_FORMATS.find(({ name }) => name === format.name)!;
  const columns = table.columns.map(
    ({ name, type }) => `${sqlText(name)}: '${DUCKDB_TYPES[type]}'`,
  );
  return record.rows.table(`[${sqlText(path)}]`, `{${columns.join(', ')}}`);
}

describe.each(formats)('%s', (title, format) => {
  describe.each(TABLES.map((table) => [table.name, table] as const))('%s', (name, table) => {
    const rows = awkwardRows(table);
    let bytes: Buffer;
    let path: string;
    beforeAll(async () => {
      bytes = await writtenBytes(format, table, rows);
      path = join(directory, `${title.replaceAll(' ', '-')}-${name}.${format.extension}`);
      await writeFile(path, bytes);
    });

    it('gives our own reader every cell', async () => {
      expect(await readBack(format, table, bytes)).toEqual(rows);
    });

    it('says how many rows it holds', async () => {
      expect(await format.countRows(memorySource(bytes))).toBe(rows.length);
    });

    it('gives DuckDB every cell', async () => {
      expect(await duckDbTable(table, duckDbSource(format, table, path))).toEqual(rows);
    });

    // I-26 in FORMAT.md
    it('gives DuckDB the exact names, order and types', async () => {
      expect(await duckDbColumns(duckDbSource(format, table, path))).toEqual(
        table.columns.map((column) => [column.name, DUCKDB_TYPES[column.type]]),
      );
    });
  });

  it('writes an empty table that we and DuckDB can read', async () => {
    for (const table of TABLES) {
      const bytes = await writtenBytes(format, table, []);
      const path = join(directory, `empty-${table.name}.${format.extension}`);
      await writeFile(path, bytes);
      expect(await readBack(format, table, bytes)).toEqual([]);
      expect(await format.countRows(memorySource(bytes))).toBe(0);
      expect(await duckDbTable(table, duckDbSource(format, table, path))).toEqual([]);
    }
  });
});

/** Parquet with each codec that parquetjs-lite knows, read back by it: an old reader that knows no logical types. */
import { ParquetReader } from 'parquetjs-lite';
import { describe, expect, it } from 'vitest';
import { createParquetFormat } from '../../src/formats/parquet/parquet-format.js';
import type { CellValue, Row, TableSchema } from '../../src/model/table-schema.js';
import { TABLES } from '../../src/model/tables.js';
import { awkwardRows } from '../support/tables/awkward-rows.js';
import { writtenBytes } from '../support/base/memory-bytes.js';

async function rowsOf(bytes: Buffer): Promise<Record<string, unknown>[]> {
  const reader = await ParquetReader.openBuffer(bytes);
  const cursor = reader.getCursor();
  const rows: Record<string, unknown>[] = [];
  for (let row = await cursor.next(); row; row = await cursor.next()) rows.push(row);
  await reader.close();
  return rows;
}

/** It reads 53 bits of an integer, milliseconds of a timestamp, and leaves nulls out: its own limits. */
function seenByParquetJs(table: TableSchema, row: Row): Record<string, unknown> {
  return Object.fromEntries(
    table.columns.flatMap(({ name, type }): [string, unknown][] => {
      const value: CellValue = row[name] ?? null;
      if (value === null) return [];
      if (typeof value !== 'bigint') return [[name, value]];
      return [[name, type === 'ts' ? new Date(Number(value / 1000n)) : value]];
    }),
  );
}

function within53Bits(table: TableSchema, row: Row): Row {
  return Object.fromEntries(
    table.columns.map(({ name, type }) => {
      const value: CellValue = row[name] ?? null;
      const isTooBig = typeof value === 'bigint' && type === 'int64' && value ** 2n >= 2n ** 104n;
      return [name, isTooBig ? 53n : value];
    }),
  );
}

describe.each(['snappy', 'gzip', 'uncompressed'] as const)('parquet with %s', (codec) => {
  it.each(TABLES.map((table) => [table.name, table] as const))(
    'gives parquetjs-lite every cell of %s that it can hold',
    async (_name, table) => {
      const rows = awkwardRows(table).map((row) => within53Bits(table, row));
      const format = createParquetFormat({ codec, rowGroupRows: 11 });
      const found = await rowsOf(await writtenBytes(format, table, rows));
      expect(found).toEqual(rows.map((row) => seenByParquetJs(table, row)));
    },
  );
});

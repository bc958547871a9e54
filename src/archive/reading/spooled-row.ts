/** Encodes a row as a line of text and decodes it. */
import { parseJson } from '../../base/text/parse-json.js';
import type { CellValue, Row, TableSchema } from '../../model/table-schema.js';

export function lineOf(table: TableSchema, row: Row): string {
  const cells = table.columns.map(({ name }) => {
    const value = row[name] ?? null;
    return typeof value === 'bigint' ? String(value) : value;
  });
  return JSON.stringify([table.name, ...cells]);
}

export function rowOf(tables: readonly TableSchema[], line: string): { table: string; row: Row } {
  const [name, ...cells] = parseJson(line) as [string, ...(string | number | boolean | null)[]];
  const columns = tables.find((table) => table.name === name)?.columns ?? [];
  const entries = columns.map((column, index): [string, CellValue] => {
    const cell = cells[index] ?? null;
    const isBig = column.type === 'ts' || column.type === 'int64';
    return [column.name, isBig && cell !== null ? BigInt(cell) : cell];
  });
  return { table: name, row: Object.fromEntries(entries) };
}

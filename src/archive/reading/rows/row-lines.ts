/** Encodes a row as a line of text and decodes it. */
import { parseJson } from '../../../base/text/parse-json.js';
import type { CellValue, Row, TableSchema } from '../../../model/table-schema.js';

export function lineOf(table: TableSchema, row: Row): string {
  const cells: CellValue[] = [table.name];
  let end = 1;
  for (const { name } of table.columns) {
    const value = row[name] ?? null;
    cells.push(typeof value === 'bigint' ? String(value) : value);
    if (value !== null) end = cells.length;
  }
  // the last columns are those that readers omit most often
  cells.length = end;
  return JSON.stringify(cells);
}

export function rowOf(tables: readonly TableSchema[], line: string): { table: string; row: Row } {
  const cells = parseJson(line) as (string | number | boolean | null)[];
  const [name] = cells;
  const table = tables.find((candidate) => candidate.name === name);
  if (!table) return { table: String(name), row: {} };
  const { columns } = table;
  // a copy of a row of nulls: objects that grow column by column take three times as long
  const row: Record<string, CellValue> = { ...blankRow(table) };
  for (let at = 0; at < columns.length; at++) {
    const [column, cell] = [columns[at], cells[at + 1] ?? null];
    if (!column || cell === null) continue;
    const isBig = column.type === 'ts' || column.type === 'int64';
    row[column.name] = isBig ? BigInt(cell) : cell;
  }
  return { table: table.name, row };
}

const blankRows = new WeakMap<TableSchema, Row>();

function blankRow(table: TableSchema): Row {
  const known = blankRows.get(table);
  if (known) return known;
  const blank = Object.fromEntries(table.columns.map(({ name }) => [name, null]));
  blankRows.set(table, blank);
  return blank;
}

/** Reads the rows of a file with DuckDB, which shares no code with jobvault. */
import { type DuckDBConnection, DuckDBInstance, DuckDBTimestampTZValue } from '@duckdb/node-api';
import type { CellValue, Row, TableSchema } from '../../../src/model/table-schema.js';

let connecting: Promise<DuckDBConnection> | undefined;

/** Runs one statement. Timestamps come as microseconds, integers as they are stored. */
export async function duckDbRows(sql: string): Promise<Row[]> {
  connecting ??= DuckDBInstance.create(':memory:').then((instance) => instance.connect());
  const reader = await (await connecting).runAndReadAll(sql);
  return reader
    .getRowObjects()
    .map((row) =>
      Object.fromEntries(
        Object.entries(row).map(([name, value]) => [
          name,
          value instanceof DuckDBTimestampTZValue ? value.micros : (value as CellValue),
        ]),
      ),
    );
}

/**
 * Every row of a table in a file. Texts travel behind a mark, since the binding (not the database) drops
 * a byte order mark at the beginning of a text.
 */
export async function duckDbTable(table: TableSchema, from: string): Promise<Row[]> {
  const columns = table.columns.map(({ name, type }) =>
    type === 'string' ? `'|' || "${name}" AS "${name}"` : `"${name}"`,
  );
  const rows = await duckDbRows(`SELECT ${columns.join(', ')} FROM ${from}`);
  return rows.map((row) =>
    Object.fromEntries(
      Object.entries(row).map(([name, value]) => [
        name,
        typeof value === 'string' ? value.slice(1) : value,
      ]),
    ),
  );
}

/** Column names, order and types as DuckDB names them. */
export async function duckDbColumns(from: string): Promise<readonly (readonly [string, string])[]> {
  const rows = await duckDbRows(`DESCRIBE SELECT * FROM ${from}`);
  return rows.map((row) => [String(row['column_name']), String(row['column_type'])]);
}

export const DUCKDB_TYPES = {
  string: 'VARCHAR',
  int32: 'INTEGER',
  int64: 'BIGINT',
  bool: 'BOOLEAN',
  ts: 'TIMESTAMP WITH TIME ZONE',
} as const;

export function sqlText(text: string): string {
  return `'${text.replaceAll("'", "''")}'`;
}

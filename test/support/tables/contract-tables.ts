/** The contract with users: every table with its columns in order, as `config/warehouse/duckdb/tables.sql` defines them. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT } from '../base/repository-files.js';

interface ContractColumn {
  readonly name: string;
  /** DuckDB's, as `DESCRIBE` spells it. */
  readonly type: string;
  readonly isKey: boolean;
}

const SQL = readFileSync(join(ROOT, 'config/warehouse/duckdb/tables.sql'), 'utf8');

const CONTRACT: ReadonlyMap<string, readonly ContractColumn[]> = new Map(
  [...SQL.matchAll(/^CREATE TABLE .*"(\w+)" \(\n([^;]*)\n\);$/gm)].map(
    ([, table = '', columns = '']) => [table, columns.split('\n').flatMap(columnIn)],
  ),
);

/** None of the day in the path, which part files do not have. */
function columnIn(line: string): ContractColumn[] {
  const [, name, type = '', notNull] = /^ {2}"(\w+)" (\w+)( NOT NULL)?,$/.exec(line) ?? [];
  if (name === undefined) return [];
  const spelt = type === 'TIMESTAMPTZ' ? 'TIMESTAMP WITH TIME ZONE' : type;
  return [{ name, type: spelt, isKey: notNull !== undefined }];
}

/** The tables that every export fills: no option asks for them. */
export const EXPORTED_TABLES = [...CONTRACT.keys()].filter(
  (name) => name !== 'datasets' && name !== 'deletions',
);

/** Names and DuckDB's types, in order. */
export function contractColumns(table: string): (readonly [string, string])[] {
  return (CONTRACT.get(table) ?? []).map(({ name, type }) => [name, type]);
}

export function contractKey(table: string): string {
  const key = (CONTRACT.get(table) ?? []).filter(({ isKey }) => isKey);
  return key.map(({ name }) => name).join(', ');
}

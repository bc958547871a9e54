/** Tables for a DuckDB file, filled from the views that `jobvault query --views` prints. */
import type { TableSchema } from '../../src/model/table-schema.js';
import { sqlName, sqlText } from '../../src/query/result-columns.js';
import { indented, PARTITION, SCHEMA, sqlComment, type Dialect } from './dialect.js';

export const duckdb: Dialect = {
  name: 'duckdb',
  title: 'DuckDB',
  types: {
    string: 'VARCHAR',
    int32: 'INTEGER',
    int64: 'BIGINT',
    bool: 'BOOLEAN',
    ts: 'TIMESTAMPTZ',
  },
  quoted: sqlName,
  tables: (tables) =>
    [`CREATE SCHEMA IF NOT EXISTS ${SCHEMA};\n`, ...tables.map(createTable)].join('\n'),
  load: (tables) =>
    [
      sqlComment([
        'Needs the views of the archive: jobvault query ARCHIVE --views, run before this.',
        'Everything is replaced, so that what was compacted or erased is right as well.',
      ]),
      'BEGIN;\n',
      ...tables.map(fill),
      'COMMIT;\n',
    ].join('\n'),
};

function createTable(table: TableSchema): string {
  const place = `${SCHEMA}.${sqlName(table.name)}`;
  const columns = table.columns.map(
    ({ name, type, isKey }) => `${sqlName(name)} ${duckdb.types[type]}${isKey ? ' NOT NULL' : ''}`,
  );
  const comments = table.columns.map(
    (column) => `COMMENT ON COLUMN ${place}.${sqlName(column.name)} IS ${sqlText(column.meaning)};`,
  );
  return [
    `CREATE TABLE IF NOT EXISTS ${place} (\n${indented([...columns, `${PARTITION.name} DATE NOT NULL`])}\n);`,
    `COMMENT ON TABLE ${place} IS ${sqlText(table.meaning)};`,
    ...comments,
    `COMMENT ON COLUMN ${place}.${PARTITION.name} IS ${sqlText(PARTITION.meaning)};\n`,
  ].join('\n');
}

function fill({ name }: TableSchema): string {
  const place = `${SCHEMA}.${sqlName(name)}`;
  return [
    `DELETE FROM ${place};`,
    `INSERT INTO ${place} BY NAME`,
    `SELECT *, CAST(exported_at AT TIME ZONE 'UTC' AS DATE) AS ${PARTITION.name} FROM main.${sqlName(name)};\n`,
  ].join('\n');
}

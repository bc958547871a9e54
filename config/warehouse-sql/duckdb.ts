/** Tables for a DuckDB file, filled from the views that `jobvault query --views` prints. */
import type { TableSchema } from '../../src/model/table-schema.js';
import { datasetsTable, deletionsTable, jobsTable } from '../../src/model/tables.js';
import { sqlName, sqlText } from '../../src/query/sql-text.js';
import type { DictionaryEntry } from '../../src/query/data-dictionary.js';
import { DUCKDB_TYPES } from '../../src/query/views/table-views.js';
import { indented, PARTITION, SCHEMA, sqlComment, type Dialect } from './dialect.js';
import { LOG_TABLES } from './loaded-rows.js';

export const duckdb: Dialect = {
  name: 'duckdb',
  title: 'DuckDB',
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
      viewsAreThere(tables),
      ...tables.map(fill),
      ...LOG_TABLES.map(replaced),
      'COMMIT;\n',
    ].join('\n'),
  loadChanges: (tables) =>
    [
      sqlComment([
        'Needs changes.jsonl and, printed after it, the views of the archive:',
        '  jobvault changes ARCHIVE --since CURSOR > changes.jsonl',
        '  jobvault query ARCHIVE --views > views.sql',
        'The next CURSOR is in jobvault.loaded; the first is 0.',
        'The rows of each key are deleted before those of the archive are inserted: what was erased and archived again',
        'comes back under the key that it had.',
      ]),
      'BEGIN;\n',
      viewsAreThere(tables),
      CHANGES,
      ...tables.map(change),
      ...LOG_TABLES.map(replaced),
      `CREATE TABLE IF NOT EXISTS ${SCHEMA}.loaded (cursor VARCHAR NOT NULL);`,
      `COMMENT ON COLUMN ${SCHEMA}.loaded.cursor IS 'The next --since of jobvault changes';`,
      `DELETE FROM ${SCHEMA}.loaded;`,
      `INSERT INTO ${SCHEMA}.loaded SELECT archive_id || ':' || "commit" FROM changes WHERE change = 'cursor';\n`,
      'COMMIT;\n',
    ].join('\n'),
};

function replaced({ name, columns }: DictionaryEntry): string {
  const comments = columns.map(
    (column) => `COMMENT ON COLUMN ${SCHEMA}.${name}.${column.name} IS ${sqlText(column.meaning)};`,
  );
  return [`CREATE OR REPLACE TABLE ${SCHEMA}.${name} AS FROM temp.${name};`, ...comments, ''].join(
    '\n',
  );
}

/**
 * A client that goes on after an error reaches COMMIT. An error while a statement runs makes COMMIT undo everything; one
 * that is found before, as of a view or column that is not there, does not. So this looks for them, and fails while it runs.
 */
function viewsAreThere(tables: readonly TableSchema[]): string {
  const names = (of: readonly { readonly name: string }[]): string =>
    of.map(({ name }) => sqlText(name)).join(', ');
  return `-- Nothing is loaded if the views of the archive were not printed, or have other columns than the tables.
SELECT CASE WHEN count(*) > 0 THEN error('not as jobvault query --views prints it: ' || string_agg(DISTINCT name, ', ')) END AS whole
FROM (
  SELECT table_name AS name FROM duckdb_columns()
  WHERE table_name IN (${names(tables)})
    AND (database_name = 'temp' OR (database_name = current_database() AND schema_name = '${SCHEMA}' AND column_name <> '${PARTITION.name}'))
  GROUP BY table_name, column_name HAVING count(*) <> 2
  UNION ALL
  SELECT name FROM (SELECT unnest([${names([...tables, ...LOG_TABLES])}]) AS name)
  WHERE name NOT IN (SELECT view_name FROM duckdb_views() WHERE database_name = 'temp')
);
`;
}

/**
 * Without its last line the output is not whole. The views say by their runs which commit they reach: earlier ones lack
 * rows of keys that the changes tell, and the cursor would pass them.
 */
const CHANGES = `CREATE OR REPLACE TEMP TABLE changes AS
FROM read_json('changes.jsonl', columns = {
  "commit": 'BIGINT', "at": 'TIMESTAMPTZ', change: 'VARCHAR', "table": 'VARCHAR', user_id: 'VARCHAR', session_id: 'VARCHAR',
  session_version: 'INTEGER', job_id: 'VARCHAR', job_version: 'INTEGER', archive_id: 'VARCHAR'
});
SELECT CASE WHEN count(*) = 0 THEN error('changes.jsonl has no cursor: it is not whole') END AS whole
FROM changes WHERE change = 'cursor';
SELECT CASE WHEN max("commit") > (SELECT coalesce(max(last_commit), 0) FROM temp.runs)
  THEN error('the views were printed before the changes: print them again') END AS reached
FROM changes WHERE change = 'cursor';
CREATE OR REPLACE TEMP TABLE changed AS FROM changes
WHERE change IN ('added', 'changed', 'withdrawn') OR "table" = '${deletionsTable.name}';
`;

function createTable(table: TableSchema): string {
  const place = placeOf(table);
  const columns = table.columns.map(
    ({ name, type, isKey }) => `${sqlName(name)} ${DUCKDB_TYPES[type]}${isKey ? ' NOT NULL' : ''}`,
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

function fill(table: TableSchema): string {
  return [`DELETE FROM ${placeOf(table)};`, `${insert(table)};\n`].join('\n');
}

/** Datasets have no key of one row: each export that archives them writes all of them. */
function change(table: TableSchema): string {
  const { name, columns } = table;
  if (name === datasetsTable.name) {
    const isWritten = `EXISTS (FROM changed WHERE "table" = '${name}')`;
    return [
      `DELETE FROM ${placeOf(table)} WHERE ${isWritten};`,
      `${insert(table)}\nWHERE ${isWritten};\n`,
    ].join('\n');
  }
  const key = columns
    .flatMap((column) => (OF_CHANGES.has(column.name) ? column.name : []))
    .join(', ');
  const told = columns.some((column) => column.name === 'job_version') ? jobsTable.name : name;
  const isTold = `(${key}) IN (SELECT (${key}) FROM changed WHERE "table" = '${told}')`;
  return [
    `DELETE FROM ${placeOf(table)}`,
    `WHERE ${isTold}`,
    `  OR (EXISTS (FROM changes WHERE change = 'erased')`,
    `    AND (${key}) NOT IN (SELECT (${key}) FROM temp.${sqlName(name)}));`,
    `${insert(table)}\nWHERE ${isTold};\n`,
  ].join('\n');
}

/** Columns of a key that `jobvault changes` tells. */
const OF_CHANGES = new Set(['user_id', 'session_id', 'session_version', 'job_id', 'job_version']);

function insert(table: TableSchema): string {
  return [
    `INSERT INTO ${placeOf(table)} BY NAME`,
    `SELECT *, CAST(exported_at AT TIME ZONE 'UTC' AS DATE) AS ${PARTITION.name} FROM temp.${sqlName(table.name)}`,
  ].join('\n');
}

function placeOf({ name }: TableSchema): string {
  return `${SCHEMA}.${sqlName(name)}`;
}

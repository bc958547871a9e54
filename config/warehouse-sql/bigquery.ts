/** Tables for BigQuery, loaded from Parquet files in Cloud Storage. */
import type { TableSchema } from '../../src/model/table-schema.js';
import { indented, PARTITION, SCHEMA, sqlComment, type Dialect } from './dialect.js';

export const bigquery: Dialect = {
  name: 'bigquery',
  title: 'BigQuery',
  types: { string: 'STRING', int32: 'INT64', int64: 'INT64', bool: 'BOOL', ts: 'TIMESTAMP' },
  quoted: (name) => `\`${name}\``,
  tables: (tables) =>
    [`CREATE SCHEMA IF NOT EXISTS ${SCHEMA};\n`, ...tables.map(createTable)].join('\n'),
  load: (tables, place) =>
    [
      sqlComment([
        'Everything is replaced, so that what was compacted or erased is right as well.',
        'A table without any file cannot be loaded: leave out its statement (datasets, deletions).',
      ]),
      ...tables.map((table) => load(table, place)),
    ].join('\n'),
};

function createTable(table: TableSchema): string {
  const partition = `\`${PARTITION.name}\` DATE NOT NULL OPTIONS (description = '${PARTITION.meaning}')`;
  return `CREATE TABLE IF NOT EXISTS ${SCHEMA}.\`${table.name}\` (
${indented([...columnsOf(table), partition])}
)
PARTITION BY \`${PARTITION.name}\`
OPTIONS (description = '${table.meaning}');
`;
}

/** BigQuery adds the column of days from the folder names. */
function load(table: TableSchema, place: string): string {
  const folder = `${place}/tables/${table.name}`;
  return `LOAD DATA OVERWRITE ${SCHEMA}.\`${table.name}\` (
${indented(columnsOf(table))}
)
PARTITION BY \`${PARTITION.name}\`
OPTIONS (description = '${table.meaning}')
FROM FILES (
  format = 'PARQUET',
  uris = ['${folder}/${PARTITION.name}=*.parquet'],
  hive_partition_uri_prefix = '${folder}'
)
WITH PARTITION COLUMNS (\`${PARTITION.name}\` DATE);
`;
}

function columnsOf({ columns }: TableSchema): string[] {
  return columns.map(
    (column) =>
      `\`${column.name}\` ${bigquery.types[column.type]}${column.isKey ? ' NOT NULL' : ''} OPTIONS (description = '${column.meaning}')`,
  );
}

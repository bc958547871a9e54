/** Tables for Snowflake, loaded from a stage over the archive's Parquet files. */
import type { TableSchema } from '../../src/model/table-schema.js';
import { sqlText } from '../../src/query/result-columns.js';
import { indented, PARTITION, SCHEMA, sqlComment, type Dialect } from './dialect.js';

export const snowflake: Dialect = {
  name: 'snowflake',
  title: 'Snowflake',
  types: {
    string: 'VARCHAR',
    int32: 'INTEGER',
    int64: 'BIGINT',
    bool: 'BOOLEAN',
    ts: 'TIMESTAMP_LTZ(6)',
  },
  quoted: (name) => name,
  tables: (tables) =>
    [`CREATE SCHEMA IF NOT EXISTS ${SCHEMA};\n`, ...tables.map(createTable)].join('\n'),
  load: (tables, place) =>
    [
      sqlComment([
        'The storage integration is one that may read the bucket; make it once, as an administrator.',
        'Everything is replaced, so that what was compacted or erased is right as well.',
      ]),
      `CREATE FILE FORMAT IF NOT EXISTS ${SCHEMA}.parquet_files TYPE = PARQUET USE_LOGICAL_TYPE = TRUE;\n`,
      `CREATE STAGE IF NOT EXISTS ${SCHEMA}.archive\n  URL = '${place}/'\n  STORAGE_INTEGRATION = jobvault_reader\n  FILE_FORMAT = (FORMAT_NAME = '${SCHEMA}.parquet_files');\n`,
      'BEGIN;\n',
      ...tables.map(load),
      'COMMIT;\n',
    ].join('\n'),
};

function createTable(table: TableSchema): string {
  const columns = table.columns.map(
    (column) =>
      `${column.name} ${snowflake.types[column.type]}${column.isKey ? ' NOT NULL' : ''} COMMENT ${sqlText(column.meaning)}`,
  );
  const partition = `${PARTITION.name} DATE NOT NULL COMMENT ${sqlText(PARTITION.meaning)}`;
  return `CREATE TABLE IF NOT EXISTS ${SCHEMA}.${table.name} (
${indented([...columns, partition])}
)
COMMENT = ${sqlText(table.meaning)};
`;
}

function load({ name, columns }: TableSchema): string {
  const names = [...columns.map((column) => column.name), PARTITION.name];
  const values = [
    ...columns.map((column) => `$1:${column.name}::${snowflake.types[column.type]}`),
    `TO_DATE(REGEXP_SUBSTR(METADATA$FILENAME, '${PARTITION.name}=([0-9-]+)', 1, 1, 'e', 1))`,
  ];
  return `DELETE FROM ${SCHEMA}.${name};
COPY INTO ${SCHEMA}.${name} (${names.join(', ')})
FROM (
SELECT
${indented(values)}
FROM @${SCHEMA}.archive/tables/${name}/
)
PATTERN = '.*/${PARTITION.name}=[^/]*/[^/]*[.]parquet'
FORCE = TRUE;
`;
}

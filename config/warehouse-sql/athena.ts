/** Tables for Athena and Glue that read the archive's Parquet files in place: nothing to load. */
import type { TableSchema } from '../../src/model/table-schema.js';
import { sqlText } from '../../src/query/result-columns.js';
import { indented, PARTITION, SCHEMA, sqlComment, type Dialect } from './dialect.js';

/** No archive is older. */
const FIRST_DAY = '2024-01-01';

export const athena: Dialect = {
  name: 'athena',
  title: 'Athena',
  types: { string: 'string', int32: 'int', int64: 'bigint', bool: 'boolean', ts: 'timestamp' },
  quoted: (name) => `"${name}"`,
  tables: (tables, place) =>
    [
      sqlComment([
        'Days become partitions by themselves (partition projection), so nothing is to be repaired or crawled.',
        'Athena shows timestamps to the millisecond; the files hold microseconds.',
        'It runs one statement at a time.',
      ]),
      `CREATE DATABASE IF NOT EXISTS ${SCHEMA};\n`,
      ...tables.map((table) => createTable(table, place)),
    ].join('\n'),
};

function createTable(table: TableSchema, place: string): string {
  const columns = table.columns.map(
    (column) =>
      `\`${column.name}\` ${athena.types[column.type]} COMMENT ${sqlText(column.meaning)}`,
  );
  const properties = [
    `'projection.enabled' = 'true'`,
    `'projection.${PARTITION.name}.type' = 'date'`,
    `'projection.${PARTITION.name}.range' = '${FIRST_DAY},NOW'`,
    `'projection.${PARTITION.name}.format' = 'yyyy-MM-dd'`,
  ];
  return `CREATE EXTERNAL TABLE IF NOT EXISTS \`${SCHEMA}\`.\`${table.name}\` (
${indented(columns)}
)
COMMENT ${sqlText(table.meaning)}
PARTITIONED BY (\`${PARTITION.name}\` date COMMENT ${sqlText(PARTITION.meaning)})
STORED AS PARQUET
LOCATION '${place}/tables/${table.name}/'
TBLPROPERTIES (
${indented(properties)}
);
`;
}

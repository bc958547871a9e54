/** Databricks and Spark read the archive's Delta tables in place, or keep tables of their own up to date with MERGE. */
import type { TableSchema } from '../../src/model/table-schema.js';
import { PARTITION, SCHEMA, sqlComment, type Dialect } from './dialect.js';
import { isSameRow } from './loaded-rows.js';

/** Where `merge.sql` keeps the tables that it loads. */
const LOADED = `${SCHEMA}_loaded`;

export const databricks: Dialect = {
  name: 'databricks',
  title: 'Databricks',
  quoted: (name) => `\`${name}\``,
  tables: (tables, place) =>
    [
      `CREATE SCHEMA IF NOT EXISTS ${SCHEMA};\n`,
      ...tables.map(
        ({ name }) =>
          `CREATE TABLE IF NOT EXISTS ${SCHEMA}.\`${name}\`\nUSING DELTA\nLOCATION '${place}/tables/${name}';\n`,
      ),
    ].join('\n'),
  merge: (tables) =>
    [
      sqlComment([
        `Brings the tables of ${LOADED} to what the archive has now: run it after each export, compaction or erasure.`,
        'A row of an archive is never changed. Those that came are inserted, those that an erasure took are deleted; what a',
        'compaction has only moved stays. It keeps no cursor, so a run that was missed or came twice does no harm.',
      ]),
      `CREATE SCHEMA IF NOT EXISTS ${LOADED};\n`,
      ...tables.map(merge),
    ].join('\n'),
};

function merge(table: TableSchema): string {
  const columns = [...table.columns.map(({ name }) => name), PARTITION.name];
  const names = columns.map((name) => `\`${name}\``);
  return `CREATE TABLE IF NOT EXISTS ${LOADED}.\`${table.name}\` AS SELECT * FROM ${SCHEMA}.\`${table.name}\` WHERE 1 = 0;
MERGE INTO ${LOADED}.\`${table.name}\` AS loaded
USING ${SCHEMA}.\`${table.name}\` AS archived
ON ${isSameRow(table, 'loaded', 'archived')}
WHEN NOT MATCHED THEN INSERT (${names.join(', ')})
  VALUES (${names.map((name) => `archived.${name}`).join(', ')})
WHEN NOT MATCHED BY SOURCE THEN DELETE;
`;
}

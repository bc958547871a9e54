/** BigQuery reads the archive's Delta tables in Cloud Storage in place. */
import { SCHEMA, sqlComment, type Dialect } from './dialect.js';

export const bigquery: Dialect = {
  name: 'bigquery',
  title: 'BigQuery',
  types: { string: 'STRING', int32: 'INT64', int64: 'INT64', bool: 'BOOL', ts: 'TIMESTAMP' },
  quoted: (name) => `\`${name}\``,
  tables: (tables, place) =>
    [
      sqlComment([
        'The connection is one that may read the bucket; make it once, and put in its name for PROJECT.REGION.NAME.',
      ]),
      `CREATE SCHEMA IF NOT EXISTS ${SCHEMA};\n`,
      ...tables.map(
        ({ name }) =>
          `CREATE EXTERNAL TABLE IF NOT EXISTS ${SCHEMA}.\`${name}\`\nWITH CONNECTION \`PROJECT.REGION.NAME\`\nOPTIONS (format = 'DELTA_LAKE', uris = ['${place}/tables/${name}']);\n`,
      ),
    ].join('\n'),
  empty: (name, columns) => `CREATE TABLE ${SCHEMA}.\`${name}\` (\n${columns}\n);\n`,
};

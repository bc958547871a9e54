/** BigQuery reads the archive's Delta tables in Cloud Storage in place. */
import { SCHEMA, sqlComment, type Dialect } from './dialect.js';

export const bigquery: Dialect = {
  name: 'bigquery',
  title: 'BigQuery',
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
};

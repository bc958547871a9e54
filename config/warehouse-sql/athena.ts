/** Athena reads the archive's Delta tables in place. */
import { SCHEMA, sqlComment, type Dialect } from './dialect.js';

export const athena: Dialect = {
  name: 'athena',
  title: 'Athena',
  quoted: (name) => `"${name}"`,
  tables: (tables, place) =>
    [
      sqlComment([
        'Athena shows timestamps to the millisecond; the files hold microseconds.',
        'It runs one statement at a time.',
      ]),
      `CREATE DATABASE IF NOT EXISTS ${SCHEMA};\n`,
      ...tables.map(
        ({ name }) =>
          `CREATE EXTERNAL TABLE IF NOT EXISTS \`${SCHEMA}\`.\`${name}\`\nLOCATION '${place}/tables/${name}/'\nTBLPROPERTIES ('table_type' = 'DELTA');\n`,
      ),
    ].join('\n'),
};

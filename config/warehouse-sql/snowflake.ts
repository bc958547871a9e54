/** Snowflake reads the archive's Delta tables in place. */
import { SCHEMA, sqlComment, type Dialect } from './dialect.js';

export const snowflake: Dialect = {
  name: 'snowflake',
  title: 'Snowflake',
  quoted: (name) => name,
  tables: (tables, place) =>
    [
      sqlComment([
        `The external volume jobvault_archive is one of ${place}; the catalog integration jobvault_delta has`,
        'CATALOG_SOURCE = OBJECT_STORE and TABLE_FORMAT = DELTA. Make both once, as an administrator.',
        'AUTO_REFRESH: without it a table stays as it was when it was made, until ALTER ICEBERG TABLE ... REFRESH.',
        'REFRESH_INTERVAL_SECONDS of the integration says how often Snowflake looks for a new version.',
      ]),
      `CREATE SCHEMA IF NOT EXISTS ${SCHEMA};\n`,
      ...tables.map(
        ({ name }) =>
          `CREATE ICEBERG TABLE IF NOT EXISTS ${SCHEMA}.${name}\n  EXTERNAL_VOLUME = 'jobvault_archive'\n  CATALOG = 'jobvault_delta'\n  BASE_LOCATION = 'tables/${name}/'\n  AUTO_REFRESH = TRUE;\n`,
      ),
    ].join('\n'),
};

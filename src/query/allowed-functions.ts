/**
 * Which of DuckDB's functions a query may call. Table functions open files, switch logs on and run SQL that
 * comes as a text, so those that may be called are listed. Other functions compute, but for a few.
 */

/** They give rows that they compute, or what stands in the catalog. */
export const TABLE_FUNCTIONS: readonly string[] = [
  'generate_series',
  'json_each',
  'json_tree',
  'range',
  'repeat',
  'repeat_row',
  'unnest',
  'duckdb_columns',
  'duckdb_functions',
  'duckdb_keywords',
  'duckdb_schemas',
  'duckdb_tables',
  'duckdb_types',
  'duckdb_views',
  'pg_timezone_names',
  'pragma_show',
  'pragma_table_info',
  'pragma_version',
];

/**
 * They write to DuckDB's log, hold the query up, change the session, or bind SQL that comes as a text. The
 * tests go through all volatile functions of the DuckDB in use, so that a new one is noticed.
 */
const OTHER_THAN_COMPUTING: readonly string[] = [
  'currval',
  'json_serialize_plan',
  'nextval',
  'pg_sleep',
  'setseed',
  'sleep_ms',
  'write_log',
];

export function isAllowedTableFunction(name: string): boolean {
  return TABLE_FUNCTIONS.includes(name.toLowerCase());
}

/** Scalar functions, aggregates, window functions, operators. */
export function isAllowedFunction(name: string): boolean {
  return !OTHER_THAN_COMPUTING.includes(name.toLowerCase());
}

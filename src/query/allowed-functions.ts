/**
 * The functions of DuckDB that a query may call. Table functions can open files, enable logs and run SQL from
 * a text, so only listed ones are allowed. Other functions only compute, except for a few.
 */

/** They compute rows or read the catalog. */
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
 * They write to DuckDB's log, delay the query, change the session, or bind SQL from a text. A test goes
 * through all volatile functions of the installed DuckDB, so that a new one is noticed.
 */
const FORBIDDEN_FUNCTIONS: readonly string[] = [
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
  return !FORBIDDEN_FUNCTIONS.includes(name.toLowerCase());
}

/** Checks that a query is one SELECT with allowed functions only, before DuckDB prepares it. */
import { parseJson } from '../base/text/parse-json.js';
import { UsageError } from '../base/error.js';
import type { DuckDBConnection } from '@duckdb/node-api';
import type { DuckDb } from './locked-database.js';
import { sqlText } from './result-columns.js';

const ALLOWED =
  'one SELECT (or WITH, FROM, VALUES, DESCRIBE, SUMMARIZE, SHOW, or a PIVOT with its values named: IN (…))';

/** As `json_serialize_sql` writes it. */
interface SqlTree {
  readonly error: boolean;
  readonly error_type?: string;
  readonly error_message?: string;
  readonly statements?: readonly {
    readonly node: unknown;
    readonly named_param_map: readonly unknown[];
  }[];
}

/**
 * @throws {UsageError} it is not exactly one statement, or it does more than read
 * @throws DuckDB's error for SQL that it does not understand
 */
export async function assertOneSelect(
  { StatementType }: DuckDb,
  connection: DuckDBConnection,
  sql: string,
): Promise<void> {
  // only parsed: preparing a statement would already call its table functions
  const tree = await treeOf(connection, sql);
  if (tree.error && tree.error_type === 'parser') await connection.extractStatements(sql); // throws with the line
  const { statements } = tree;
  if (!statements) {
    throw new UsageError(
      `a query only reads, but this is ${firstWordOf(sql)}; allowed is ${ALLOWED}`,
    );
  }
  const [statement, ...others] = statements;
  if (!statement) throw new UsageError(`the query holds no statement; allowed is ${ALLOWED}`);
  if (others.length > 0) {
    throw new UsageError(`the query has ${statements.length} statements; allowed is ${ALLOWED}`);
  }
  if (statement.named_param_map.length > 0) {
    throw new UsageError('the query has parameters ($1 or ?); write the values into the SQL');
  }
  assertOnlyReads(statement.node);
  const prepared = await connection.prepare(sql);
  try {
    if (prepared.statementType === StatementType.SELECT) return;
    throw new UsageError(
      `a query only reads, but this is ${StatementType[prepared.statementType]}; allowed is ${ALLOWED}`,
    );
  } finally {
    prepared.destroySync();
  }
}

/** The first word of a statement, after comments. */
function firstWordOf(sql: string): string {
  const [, verb] = /^(?:\s|--.*\n|\/\*[^]*?\*\/|\()*([a-z]+)/i.exec(sql) ?? [];
  return verb?.toUpperCase() ?? 'more than a SELECT';
}

async function treeOf(connection: DuckDBConnection, sql: string): Promise<SqlTree> {
  const read = await connection.runAndReadAll(`SELECT json_serialize_sql(${sqlText(sql)}) AS tree`);
  return parseJson(String(read.getRowObjects()[0]?.['tree'])) as SqlTree;
}

/** @throws {UsageError} naming the first function that may not be called */
function assertOnlyReads(root: unknown): void {
  const open: unknown[] = [root]; // no recursion: SQL may be nested deeply
  while (open.length > 0) {
    const node = open.pop();
    if (typeof node !== 'object' || node === null) continue;
    const {
      type,
      function: called,
      function_name: name,
    } = node as Readonly<Record<string, unknown>>;
    if (type === 'TABLE_FUNCTION') assertTableFunction(called);
    if (typeof name === 'string' && !isAllowedFunction(name)) {
      throw new UsageError(`a query only reads; the function ${name} is not allowed`);
    }
    open.push(...(Object.values(node) as unknown[]));
  }
}

function assertTableFunction(called: unknown): void {
  const { function_name: name } = (called ?? {}) as Readonly<Record<string, unknown>>;
  if (typeof name === 'string' && isAllowedTableFunction(name)) return;
  throw new UsageError(
    `a query reads only the tables of its archive; the table function ${String(name)} is not allowed; allowed are ${TABLE_FUNCTIONS.join(', ')}`,
  );
}

/**
 * The functions of DuckDB that a query may call. Table functions can open files, enable logs and run SQL from
 * a text, so only listed ones are allowed. Other functions only compute, except for a few.
 */

/** They compute rows or read the catalog. */
const TABLE_FUNCTIONS: readonly string[] = [
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

function isAllowedTableFunction(name: string): boolean {
  return TABLE_FUNCTIONS.includes(name.toLowerCase());
}

/** Scalar functions, aggregates, window functions, operators. */
export function isAllowedFunction(name: string): boolean {
  return !FORBIDDEN_FUNCTIONS.includes(name.toLowerCase());
}

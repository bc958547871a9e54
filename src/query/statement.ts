/** Checks that a query is one SELECT with allowed functions only, before DuckDB plans it. */
import { parseJson } from '../base/text/parse-json.js';
import { UsageError } from '../base/error.js';
import type { DuckDBConnection } from '@duckdb/node-api';
import { sqlText } from './sql-text.js';
import { isAllowedFunction, isAllowedTableFunction, TABLE_FUNCTIONS } from './allowed-functions.js';

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
 * @throws DuckDB's error for SQL that it cannot parse
 */
export async function assertOneSelect(connection: DuckDBConnection, sql: string): Promise<void> {
  // only parsed, which knows no statement but SELECT: preparing a statement would already call its table functions
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
}

/**
 * To plan a large statement takes as long as to run it on a small archive: this is only for whoever has seen it fail.
 *
 * @throws DuckDB's error for SQL that names what is not there, with the line as it was written
 */
export async function assertPlanned(connection: DuckDBConnection, sql: string): Promise<void> {
  (await connection.prepare(sql)).destroySync();
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

/** Lets DuckDB write each column as text, so that no digit passes through a JavaScript number. */
import type { UserInSeveral } from '../archive/reading/user-listings.js';

export interface ResultColumn {
  readonly name: string;
  /** DuckDB's name of the type: `VARCHAR`, `DECIMAL(18,3)`, `STRUCT(a INTEGER)[]`. */
  readonly type: string;
  /** What the text becomes in JSON. */
  readonly form: 'text' | 'number' | 'boolean' | 'json';
}

const NUMBER = /^(U?(TINY|SMALL|BIG|HUGE)INT|U?INTEGER|FLOAT|DOUBLE|BIGNUM|DECIMAL\(.*\))$/;
const NESTED = /\]$|^(STRUCT|MAP|UNION)\(|^(JSON|VARIANT)$/;

/** Prefix of each text: DuckDB's Node.js binding drops a byte order mark at the start. */
export const TEXT_MARK = '|';

export function resultColumn(name: string, type: string): ResultColumn {
  return { name, type, form: formOf(type) };
}

function formOf(type: string): ResultColumn['form'] {
  if (NESTED.test(type)) return 'json';
  if (type === 'BOOLEAN') return 'boolean';
  return NUMBER.test(type) ? 'number' : 'text';
}

/** The SQL expression of the column's text after the mark; null stays null. */
export function textExpression({ name, type, form }: ResultColumn): string {
  return `'${TEXT_MARK}' || ${plain(sqlName(name), type, form)}`;
}

function plain(column: string, type: string, form: ResultColumn['form']): string {
  // a JSON value is text already, and stays unchanged
  if (form === 'json' && type !== 'JSON') return `CAST(to_json(${column}) AS VARCHAR)`;
  switch (type) {
    case 'TIMESTAMP WITH TIME ZONE':
      return `strftime(${column} AT TIME ZONE 'UTC', '%Y-%m-%dT%H:%M:%S.%fZ')`;
    case 'TIMESTAMP':
    case 'TIMESTAMP_S':
    case 'TIMESTAMP_MS':
      return `strftime(CAST(${column} AS TIMESTAMP), '%Y-%m-%dT%H:%M:%S.%f')`;
    case 'TIMESTAMP_NS':
      return `strftime(${column}, '%Y-%m-%dT%H:%M:%S.%n')`;
    default:
      return `CAST(${column} AS VARCHAR)`;
  }
}

/** A query's complete result: the archive is no longer read. */

/** A cell for each column, as text: numbers as DuckDB prints them, times as ISO 8601, lists and structs as JSON. */
export type ResultRow = readonly (string | null)[];

/** What was read of an archive. */
export interface CommitOf {
  /** Where it is. */
  readonly archive: string;
  readonly commit: number;
}

export interface QueryResult {
  /** Of each archive, in the order given. */
  readonly commits: readonly [CommitOf, ...CommitOf[]];
  /** Users whom several of the archives have: tables have their rows of each, `current_*` views each session once. */
  readonly usersInSeveral: readonly UserInSeveral[];
  /** The bytes of files of which only the size was compared with the log. */
  readonly unverifiedBytes: number;
  readonly columns: readonly ResultColumn[];
  readonly rowCount: number;
  /** In order, in batches of about 2,000. @param limit how many rows; default: all */
  rows(limit?: number): AsyncGenerator<readonly ResultRow[]>;
  /** The result as a Parquet file with DuckDB's types. */
  parquet(): AsyncGenerator<Uint8Array>;
}

/** Quotes names and texts for SQL. */

export function sqlText(text: string): string {
  return `'${text.replaceAll("'", "''")}'`;
}

export function sqlName(name: string): string {
  return `"${name.replaceAll('"', '""')}"`;
}

export function sqlList(texts: readonly string[]): string {
  return `[${texts.map(sqlText).join(', ')}]`;
}

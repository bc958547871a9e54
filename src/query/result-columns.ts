/** How each column of a result is written as text, by DuckDB itself: no digit passes through a JavaScript number. */
import { sqlName } from './sql-text.js';

export interface ResultColumn {
  readonly name: string;
  /** As DuckDB names it: `VARCHAR`, `DECIMAL(18,3)`, `STRUCT(a INTEGER)[]`. */
  readonly type: string;
  /** What its text is in JSON: a text, a number, true or false, or JSON itself. */
  readonly form: 'text' | 'number' | 'boolean' | 'json';
}

const NUMBER = /^(U?(TINY|SMALL|BIG|HUGE)INT|U?INTEGER|FLOAT|DOUBLE|BIGNUM|DECIMAL\(.*\))$/;
const NESTED = /\]$|^(STRUCT|MAP|UNION)\(|^(JSON|VARIANT)$/;

/** Before each text: the binding (not the database) drops a byte order mark that begins one. */
export const TEXT_MARK = '|';

export function resultColumn(name: string, type: string): ResultColumn {
  return { name, type, form: formOf(type) };
}

function formOf(type: string): ResultColumn['form'] {
  if (NESTED.test(type)) return 'json';
  if (type === 'BOOLEAN') return 'boolean';
  return NUMBER.test(type) ? 'number' : 'text';
}

/** A SQL expression for the column's text behind the mark; null stays null. */
export function textExpression({ name, type, form }: ResultColumn): string {
  return `'${TEXT_MARK}' || ${plain(sqlName(name), type, form)}`;
}

function plain(column: string, type: string, form: ResultColumn['form']): string {
  // a JSON value is text already, and stays as it was written
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

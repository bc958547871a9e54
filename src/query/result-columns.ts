/** Lets DuckDB write each column as text, so that no digit passes through a JavaScript number. */
import { sqlName } from './sql-text.js';

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

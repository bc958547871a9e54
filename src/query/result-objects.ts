/** The rows of a result as objects with JavaScript's values. */
import { parseJson } from '../base/text/parse-json.js';
import type { QueryResult } from './query-result.js';
import type { ResultColumn } from './result-columns.js';

/**
 * A cell: a number (an integer beyond 2^53 is a bigint, a decimal of more than 15 digits a text), a Date (of a time without
 * a zone, and of a day, as in UTC), a boolean, a list or object of what DuckDB calls list, struct, map or JSON, in which
 * times are texts and numbers are JavaScript's, null, and a text of everything else.
 */
export type QueryValue =
  | string
  | number
  | bigint
  | boolean
  | Date
  | null
  | readonly unknown[]
  | Readonly<Record<string, unknown>>;

/** By column. */
export type QueryRow = Readonly<Record<string, QueryValue>>;

export async function objectsOf(result: QueryResult): Promise<QueryRow[]> {
  const { columns } = result;
  const objects: QueryRow[] = [];
  for await (const rows of result.rows()) {
    for (const row of rows) {
      const cells = columns.map(
        (column, at) => [column.name, valueOf(column, row[at] ?? null)] as const,
      );
      objects.push(Object.fromEntries(cells));
    }
  }
  return objects;
}

function valueOf({ type, form }: ResultColumn, text: string | null): QueryValue {
  if (text === null) return null;
  switch (form) {
    case 'number':
      return type.startsWith('DECIMAL') ? decimalOf(text) : numberOf(text);
    case 'boolean':
      return text === 'true';
    case 'json':
      return parseJson(text) as QueryValue;
    case 'text':
      return /^(TIMESTAMP|DATE)/.test(type) ? dateOf(text) : text;
  }
}

function numberOf(text: string): number | bigint {
  const number = text === 'inf' ? Infinity : text === '-inf' ? -Infinity : Number(text);
  return /^-?\d+$/.test(text) && !Number.isSafeInteger(number) ? BigInt(text) : number;
}

/** A number has every digit of 15; of more it may round the last. */
function decimalOf(text: string): number | bigint | string {
  const [whole = '', fraction = ''] = text.replace('-', '').split('.');
  const digits = `${whole}${fraction.replace(/0+$/, '')}`.replace(/^0+/, '');
  return fraction !== '' && digits.length > 15 ? text : numberOf(text);
}

const DATE = /^(\d{4}-\d\d-\d\d)(?:T(\d\d:\d\d:\d\d)(\.\d{1,3})?\d*Z?)?$/;

/** What no Date holds, such as a year before Christ, stays a text. */
function dateOf(text: string): Date | string {
  const [, day, time = '00:00:00', fraction = ''] = DATE.exec(text) ?? [];
  return day === undefined ? text : new Date(`${day}T${time}${fraction}Z`);
}

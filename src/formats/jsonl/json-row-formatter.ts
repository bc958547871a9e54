/** Formats a row as a JSON object and parses it, with all columns in order and all digits. */
import {
  type Row,
  type TableSchema,
  hasColumns,
  type CellValue,
  type Column,
} from '../../model/table-schema.js';
import { FormatError } from '../format.js';
import { cellOf } from '../cell.js';
import { messageOf } from '../../base/error.js';
import { parseJson } from '../../base/text/parse-json.js';
import { spanAt } from '../../model/json-parts.js';
import { formatTimestamp } from '../../model/times/timestamp.js';

/** Characters. A longer text hardly ever repeats, and may keep a response body in memory of which it is a slice. */
const LONGEST_REPEATED = 64;

/** A column and the JSON of its last cell: most keys and times are the same from row to row. */
interface Member {
  readonly column: Column;
  readonly start: string;
  value: CellValue | undefined;
  json: string;
}

export class JsonRowFormatter {
  readonly #table: TableSchema;
  readonly #members: readonly Member[];

  constructor(table: TableSchema) {
    this.#table = table;
    this.#members = table.columns.map((column, index) => {
      const start = `${index === 0 ? '{' : ','}"${column.name}":`;
      return { column, start, value: undefined, json: '' };
    });
  }

  /** Without a line break. Integers beyond 2^53 are JSON numbers with all digits, timestamps are ISO 8601 text. */
  format(row: Row): string {
    let json = '';
    for (const member of this.#members) {
      const { column, start } = member;
      const value = cellOf(this.#table, column, row);
      if (typeof value === 'string' && value.length > LONGEST_REPEATED) {
        json += start + formatCell(column, value);
        continue;
      }
      if (value !== member.value) {
        member.value = value;
        member.json = start + formatCell(column, value);
      }
      json += member.json;
    }
    return `${json}}`;
  }
}

function formatCell({ type }: Column, value: CellValue): string {
  if (typeof value === 'string') return JSON.stringify(value.toWellFormed());
  if (typeof value !== 'bigint') return String(value);
  return type === 'ts' ? `"${formatTimestamp(value)}"` : value.toString();
}

/**
 * @throws {FormatError} the line is not a JSON object, or its members are not the table's columns in order
 */
export function parseJsonRow(table: TableSchema, line: string): Row {
  const parsed = parse(line);
  if (!hasColumns(table, Object.keys(parsed))) {
    throw new FormatError(`A line's members are not the columns of ${table.name}`);
  }
  const row: Record<string, CellValue> = {};
  for (const column of table.columns) {
    row[column.name] = parseCell(column, parsed[column.name], line);
  }
  for (const column of table.columns) cellOf(table, column, row);
  return row;
}

function parse(line: string): Record<string, CellValue> {
  let parsed: unknown;
  try {
    parsed = parseJson(line);
  } catch (cause) {
    throw new FormatError(`A line is not JSON: ${messageOf(cause)}`, { cause });
  }
  if (typeof parsed !== 'object' || parsed === null || Array.isArray(parsed)) {
    throw new FormatError('A line is not a JSON object');
  }
  return parsed as Record<string, CellValue>;
}

function parseCell({ name, type }: Column, value: CellValue | undefined, line: string): CellValue {
  if (type === 'ts' && typeof value === 'string') return parseMicros(name, value);
  if (type !== 'int64' || typeof value !== 'number') return value ?? null;
  if (Number.isSafeInteger(value)) return BigInt(value);
  // JSON.parse has rounded it; the line has the digits
  const span = spanAt(line, [name]);
  const digits = span ? line.slice(span.start, span.end) : '';
  if (!/^-?\d{1,19}$/.test(digits)) throw new FormatError(`${name} is not an integer in a line`);
  return BigInt(digits);
}

/** The form that `formatTimestamp` writes, also for years beyond 9999. */
const INSTANT = /^((?:\d{4}|[+-]\d{6})-\d\d-\d\dT\d\d:\d\d:\d\d)\.(\d{6})Z$/;

function parseMicros(name: string, text: string): bigint {
  const match = INSTANT.exec(text);
  const ms = Date.parse(`${match?.[1] ?? ''}Z`);
  if (!match || Number.isNaN(ms)) {
    throw new FormatError(`${name} is not an ISO 8601 time with microseconds in a line`);
  }
  return BigInt(ms) * 1000n + BigInt(match[2] ?? 0);
}

/** Checks cells against their column's type. Every writer uses it, so that no format alters a value. */
import type { Row, TableSchema, CellValue, Column } from '../model/table-schema.js';
import { FormatError } from './format.js';

const INT32_MAX = 2 ** 31 - 1;
const INT64_MAX = 2n ** 63n - 1n;
/** The range of `Date` in microseconds: the years -271821 to 275760. */
const TIMESTAMP_MAX = 8_640_000_000_000_000_000n;

/**
 * The value of a row's column, checked against the column's type and range.
 *
 * @throws {FormatError} the column is absent, is a key without a value, or has a value of another type; the
 * message names table, column and type, never a text
 */
export function cellOf(table: TableSchema, column: Column, row: Row): CellValue {
  const value = row[column.name];
  if (value === null && !column.isKey) return value;
  if (value === undefined || value === null || !fits(column, value)) {
    throw new FormatError(
      `${table.name}.${column.name} must be ${describe(column)}, but a row has ${kindOf(value)}`,
    );
  }
  return value;
}

function fits(column: Column, value: NonNullable<CellValue>): boolean {
  switch (column.type) {
    case 'string':
      return typeof value === 'string';
    case 'bool':
      return typeof value === 'boolean';
    case 'int32':
      return (
        typeof value === 'number' &&
        Number.isInteger(value) &&
        value <= INT32_MAX &&
        value >= -INT32_MAX - 1
      );
    case 'int64':
      return typeof value === 'bigint' && value <= INT64_MAX && value >= -INT64_MAX - 1n;
    case 'ts':
      return typeof value === 'bigint' && value <= TIMESTAMP_MAX && value >= -TIMESTAMP_MAX;
  }
}

function describe({ type, isKey }: Column): string {
  return isKey ? `${type}, never null` : `${type} or null`;
}

function kindOf(value: CellValue | undefined): string {
  if (value === undefined || value === null) return value === null ? 'null' : 'no value';
  return typeof value === 'number' || typeof value === 'bigint'
    ? `the ${typeof value} ${value.toString()}`
    : `a ${typeof value}`;
}

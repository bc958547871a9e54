/** A table as Parquet describes it. Old and new type annotations stand side by side, for old and new readers. */
import type { SchemaElement } from 'hyparquet';
import type { ColumnType, TableSchema } from '../../model/table-schema.js';
import { FormatError } from '../format-error.js';

type Annotation = Pick<SchemaElement, 'type' | 'converted_type' | 'logical_type'>;

const ANNOTATIONS: Readonly<Record<ColumnType, Annotation>> = {
  string: { type: 'BYTE_ARRAY', converted_type: 'UTF8', logical_type: { type: 'STRING' } },
  int32: { type: 'INT32' },
  int64: { type: 'INT64' },
  bool: { type: 'BOOLEAN' },
  ts: {
    type: 'INT64',
    converted_type: 'TIMESTAMP_MICROS',
    logical_type: { type: 'TIMESTAMP', isAdjustedToUTC: true, unit: 'MICROS' },
  },
};

/** Key columns are required, all others optional. */
export function parquetSchemaOf(table: TableSchema): SchemaElement[] {
  return [
    { name: table.name, num_children: table.columns.length },
    ...table.columns.map((column): SchemaElement => ({
      name: column.name,
      repetition_type: column.isKey ? 'REQUIRED' : 'OPTIONAL',
      ...ANNOTATIONS[column.type],
    })),
  ];
}

/** @throws {FormatError} a column is missing, too many, elsewhere, or of another type */
export function checkSchema(table: TableSchema, schema: readonly SchemaElement[]): void {
  const wanted = parquetSchemaOf(table).slice(1).map(describe);
  const found = schema.slice(1).map(describe);
  for (const [index, column] of wanted.entries()) {
    if (found[index] !== column) {
      throw new FormatError(
        `Column ${index + 1} of ${table.name} should be ${column}, but the file has ${found[index] ?? 'none'}`,
      );
    }
  }
  if (found.length > wanted.length) {
    throw new FormatError(
      `${table.name} has ${wanted.length} columns, but the file has ${found.length}`,
    );
  }
}

function describe(element: SchemaElement): string {
  const { name, type, converted_type: converted, repetition_type: repetition } = element;
  return `${name} (${[repetition, type, converted].filter(Boolean).join(' ').toLowerCase()})`;
}

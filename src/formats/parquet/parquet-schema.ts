/** The Parquet schema of a table. Types have the old and the new annotation, for old and new readers. */
import type { SchemaElement } from 'hyparquet';
import { hasColumns, type ColumnType, type TableSchema } from '../../model/table-schema.js';
import { FormatError } from '../format.js';

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

/** @throws {FormatError} a column is missing, unknown, in another position, or of another type */
export function assertColumnsOf(table: TableSchema, schema: readonly SchemaElement[]): void {
  const names = schema.slice(1).map(({ name }) => name);
  if (!hasColumns(table, names)) {
    throw new FormatError(
      `The file's columns are not those of ${table.name}: it has ${names.join(', ')}`,
    );
  }
  const wanted = new Map(parquetSchemaOf(table).map((element) => [element.name, element]));
  for (const element of schema.slice(1)) {
    const expected = describe(wanted.get(element.name) ?? element);
    if (describe(element) === expected) continue;
    throw new FormatError(
      `A column of ${table.name} should be ${expected}, but the file has ${describe(element)}`,
    );
  }
}

function describe(element: SchemaElement): string {
  const { name, type, converted_type: converted, repetition_type: repetition } = element;
  return `${name} (${[repetition, type, converted].filter(Boolean).join(' ').toLowerCase()})`;
}

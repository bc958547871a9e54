/** Encodes a small Parquet file with nested columns, whole in memory: the same bytes for the same values. And compares two. */
import type { SchemaElement } from 'hyparquet';

const CREATED_BY = 'jobvault version 1.0.0 (build hyparquet-writer)';

/** A column or a member of a group, null unless it is said to be required. */
export type NestedField =
  | { readonly name: string; readonly type: 'text' | 'int32' | 'int64' | 'bool' }
  /** A map of text to text, or a list of texts. */
  | { readonly name: string; readonly type: 'map' | 'list' }
  | { readonly name: string; readonly type: 'group'; readonly fields: readonly NestedField[] };

/** Groups as objects, maps likewise, lists as arrays, `int64` as bigints; an absent member is null. */
export type NestedRow = Readonly<Record<string, unknown>>;

/** @param name of the root of the schema */
export async function nestedParquet(
  name: string,
  fields: readonly NestedField[],
  rows: readonly NestedRow[],
): Promise<Uint8Array> {
  // most commands write none, and start sooner without
  const { parquetWriteBuffer } = await import('hyparquet-writer');
  const bytes = parquetWriteBuffer({
    schema: [{ name, num_children: fields.length }, ...fields.flatMap(elementsOf)],
    columnData: fields.map((field) => ({
      name: field.name,
      data: rows.map((row) => row[field.name] ?? null),
    })),
    codec: 'SNAPPY',
    statistics: false,
    createdBy: CREATED_BY,
  });
  return new Uint8Array(bytes);
}

/** Whether two files have the same rows, though versions of the library may write them in other bytes. */
export async function haveSameRows(one: Uint8Array, other: Uint8Array): Promise<boolean> {
  try {
    const [rows, others] = await Promise.all([rowsIn(one), rowsIn(other)]);
    return rows === others;
  } catch {
    return false; // not a Parquet file
  }
}

async function rowsIn(bytes: Uint8Array): Promise<string> {
  const { parquetReadObjects } = await import('hyparquet');
  const rows = await parquetReadObjects({ file: new Uint8Array(bytes).buffer });
  return JSON.stringify(rows, (_key, value: unknown) =>
    typeof value === 'bigint' ? `${value}n` : value,
  );
}

const TEXT = {
  type: 'BYTE_ARRAY',
  converted_type: 'UTF8',
  logical_type: { type: 'STRING' },
} as const;

function elementsOf(field: NestedField): SchemaElement[] {
  const common = { name: field.name, repetition_type: 'OPTIONAL' } as const;
  switch (field.type) {
    case 'group':
      return [
        { ...common, num_children: field.fields.length },
        ...field.fields.flatMap(elementsOf),
      ];
    case 'map':
      return [
        { ...common, converted_type: 'MAP', num_children: 1 },
        { name: 'key_value', repetition_type: 'REPEATED', num_children: 2 },
        { name: 'key', repetition_type: 'REQUIRED', ...TEXT },
        { name: 'value', repetition_type: 'OPTIONAL', ...TEXT },
      ];
    case 'list':
      return [
        { ...common, converted_type: 'LIST', num_children: 1 },
        { name: 'list', repetition_type: 'REPEATED', num_children: 1 },
        { name: 'element', repetition_type: 'OPTIONAL', ...TEXT },
      ];
    case 'text':
      return [{ ...common, ...TEXT }];
    case 'int32':
      return [{ ...common, type: 'INT32' }];
    case 'int64':
      return [{ ...common, type: 'INT64' }];
    case 'bool':
      return [{ ...common, type: 'BOOLEAN' }];
  }
}

/** How a table is described: columns in order, the key first. */
import { canonicalJson } from '../base/canonical-json.js';
import { sha256Hex } from '../base/digest.js';

/** `ts` is microseconds since 1970 UTC, as a bigint. */
export type ColumnType = 'string' | 'int32' | 'int64' | 'bool' | 'ts';

interface CellTypes {
  readonly string: string;
  readonly int32: number;
  readonly int64: bigint;
  readonly bool: boolean;
  readonly ts: bigint;
}

export type CellValue = string | number | bigint | boolean | null;
/** Every column of the table is present; null where there is no value. */
export type Row = Readonly<Record<string, CellValue>>;

export interface Column {
  readonly name: string;
  readonly type: ColumnType;
  /** Part of the key, and so never null. */
  readonly isKey: boolean;
}

type Columns = Readonly<Record<string, ColumnType>>;

export interface TableSchema<Key extends Columns = Columns, Rest extends Columns = Columns> {
  readonly name: string;
  readonly columns: readonly Column[];
  /** Changes when, and only when, a column's name, type, order or role changes. */
  readonly fingerprint: string;
  /** Types only: never present. */
  readonly row?: RowOfColumns<Key, Rest>;
}

type RowOfColumns<Key extends Columns, Rest extends Columns> = {
  readonly [K in keyof Key]: CellTypes[Key[K]];
} & { readonly [K in keyof Rest]: CellTypes[Rest[K]] | null };

/** What a row of the table looks like. */
export type RowOf<T extends TableSchema> = NonNullable<T['row']>;

export function defineTable<const Key extends Columns, const Rest extends Columns>(
  name: string,
  shape: { readonly key: Key; readonly rest: Rest },
): TableSchema<Key, Rest> {
  const columns = [
    ...Object.entries(shape.key).map(([column, type]) => ({ name: column, type, isKey: true })),
    ...Object.entries(shape.rest).map(([column, type]) => ({ name: column, type, isKey: false })),
  ];
  return { name, columns, fingerprint: sha256Hex(canonicalJson(columns)).slice(0, 16) };
}

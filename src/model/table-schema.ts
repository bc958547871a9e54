/** The schema of a table: its columns in order, the key first. */
import { canonicalJson } from '../base/text/parse-json.js';
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
/** Has every column of the table; null without a value. */
export type Row = Readonly<Record<string, CellValue>>;

export interface Column {
  readonly name: string;
  readonly type: ColumnType;
  /** Part of the key; never null. */
  readonly isKey: boolean;
}

type Columns = Readonly<Record<string, ColumnType>>;

export interface TableSchema<Key extends Columns = Columns, Rest extends Columns = Columns> {
  readonly name: string;
  readonly columns: readonly Column[];
  /** Changes exactly when a column's name, type, order or role changes. */
  readonly fingerprint: string;
  /** The schemas before columns were added, newest first: their part files can still be read. */
  readonly earlier: readonly Pick<TableSchema, 'columns' | 'fingerprint'>[];
  /** Types only: never present. */
  readonly row?: RowOfColumns<Key, Rest>;
}

type RowOfColumns<Key extends Columns, Rest extends Columns> = {
  readonly [K in keyof Key]: CellTypes[Key[K]];
} & { readonly [K in keyof Rest]: CellTypes[Rest[K]] | null };

/** The type of a row of the table. */
export type RowOf<T extends TableSchema> = NonNullable<T['row']>;

/**
 * @param shape.added columns that were added later, in groups that were added together, oldest group first
 */
export function defineTable<const Key extends Columns, const Rest extends Columns>(
  name: string,
  shape: {
    readonly key: Key;
    readonly rest: Rest;
    readonly added?: readonly (readonly (keyof Rest & string)[])[];
  },
): TableSchema<Key, Rest> {
  const columns = [
    ...Object.entries(shape.key).map(([column, type]) => ({ name: column, type, isKey: true })),
    ...Object.entries(shape.rest).map(([column, type]) => ({ name: column, type, isKey: false })),
  ];
  const { added = [] } = shape;
  const earlier = added.toReversed().map((_, at) => {
    const lacking = new Set<string>(added.slice(added.length - 1 - at).flat());
    const before = columns.filter((column) => !lacking.has(column.name));
    return { columns: before, fingerprint: fingerprintOf(before) };
  });
  return { name, columns, fingerprint: fingerprintOf(columns), earlier };
}

function fingerprintOf(columns: readonly Column[]): string {
  const facts = columns.map(({ name, type, isKey }) => ({ name, type, isKey }));
  return sha256Hex(canonicalJson(facts)).slice(0, 16);
}

/** The columns of the current or an earlier schema with exactly these names in this order; undefined without a match. */
export function columnsNamed(
  table: TableSchema,
  names: readonly string[],
): readonly Column[] | undefined {
  const version = [table, ...table.earlier].find(
    ({ columns }) =>
      columns.length === names.length && columns.every(({ name }, at) => name === names[at]),
  );
  return version?.columns;
}

/** The columns of a newer schema that the table lacks; empty if the names do not include all its columns. */
export function addedSince(table: TableSchema, names: readonly string[]): readonly string[] {
  const known = table.columns.map(({ name }) => name);
  return known.every((name) => names.includes(name))
    ? names.filter((name) => !known.includes(name))
    : [];
}

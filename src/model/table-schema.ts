/** The schema of a table: its columns in order, the key first. */
import { canonicalJson } from '../base/text/canonical-json.js';
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

/**
 * What becomes of a column in a pseudonymised copy:
 *
 * - `keep`: as it is: numbers, times, and words that jobvault itself chooses
 * - `word`: kept where it is one of the service's known words; otherwise keyed in a key, and dropped elsewhere
 * - `key`: a keyed digest: ids and hashes
 * - `text`: what people or the assistant wrote; dropped unless the caller keeps texts
 * - `mark`: that there is a text; the text itself is left out
 * - `drop`: always dropped
 * - `run`: the run that makes the copy
 * - `day`: the end of the day: when the original was exported tells in which order, which may be that of a list of names
 */
export type ColumnClass = 'keep' | 'word' | 'key' | 'text' | 'mark' | 'drop' | 'run' | 'day';

/** What is to be said of a column beside its name. */
export interface ColumnFacts {
  readonly type: ColumnType;
  readonly copied: ColumnClass;
  /** A short description, such as for the comments in a data warehouse. */
  readonly meaning: string;
  /** Its text is JSON: each string in it is masked separately, because an escape may hide a URL's end. */
  readonly isJson?: boolean;
  /** The service's data verbatim, as proof: no secret is masked in it before it is shown. */
  readonly isVerbatim?: boolean;
  /** Its text is masked where it is made: there is known what is code, and which URLs are those of files. */
  readonly isMasked?: boolean;
  /** The field of the service's record that fills it; true for the field of the same name. */
  readonly field?: string | true;
  /** Which of the service's answers have that field, where a row is made of several. */
  readonly answers?: readonly string[];
  /** The column with ids of the same thing: then the same id has the same digest in both. Default: itself. */
  readonly digestOf?: string;
}

export interface Column extends ColumnFacts {
  readonly name: string;
  /** Part of the key; never null. */
  readonly isKey: boolean;
  readonly field?: string;
}

type Columns = Readonly<Record<string, ColumnType>>;
/** A type alone will do for rows that are not of an archive. */
type Facts = Readonly<Record<string, ColumnType | ColumnFacts>>;
type TypesIn<F extends Facts> = {
  readonly [K in keyof F]: F[K] extends { readonly type: infer T extends ColumnType }
    ? T
    : Extract<F[K], ColumnType>;
};
type NamesOfFields<F extends Facts> = {
  [K in keyof F]: F[K] extends { readonly field: string | true } ? K : never;
}[keyof F] &
  string;

export interface TableSchema<
  Key extends Columns = Columns,
  Rest extends Columns = Columns,
  Fields extends string = string,
> {
  readonly name: string;
  readonly meaning: string;
  /** Whether a pseudonymised copy is without it. */
  readonly isConfidential: boolean;
  readonly columns: readonly Column[];
  /** Changes exactly when a column's name, type, order or role changes. */
  readonly fingerprint: string;
  /** The columns before some were added, newest first: Delta tables of archives that have such part files name them. */
  readonly earlier: readonly Pick<TableSchema, 'columns' | 'fingerprint'>[];
  /** Types only: never present. */
  readonly row?: RowOfColumns<Key, Rest>;
  /** Types only: the names of columns beside the key that are fields of a record. */
  readonly fields?: Fields;
}

type RowOfColumns<Key extends Columns, Rest extends Columns> = {
  readonly [K in keyof Key]: CellTypes[Key[K]];
} & { readonly [K in keyof Rest]: CellTypes[Rest[K]] | null };

/** The type of a row of the table. */
export type RowOf<T extends TableSchema> = NonNullable<T['row']>;
/** The cells of such a row that `RecordFields` makes. */
export type FieldsOf<T extends TableSchema> = Pick<
  RowOf<T>,
  NonNullable<T['fields']> & keyof RowOf<T>
>;

/** @param shape.added columns that were added later, in groups that were added together, the oldest group first */
export function defineTable<const Key extends Facts, const Rest extends Facts>(
  name: string,
  shape: {
    readonly key: Key;
    readonly rest: Rest;
    readonly meaning?: string;
    readonly isConfidential?: boolean;
    readonly added?: readonly (readonly (keyof Rest & string)[])[];
  },
): TableSchema<TypesIn<Key>, TypesIn<Rest>, NamesOfFields<Rest>> {
  const columns = [
    ...Object.entries(shape.key).map(([column, facts]) => columnFrom(column, facts, true)),
    ...Object.entries(shape.rest).map(([column, facts]) => columnFrom(column, facts, false)),
  ];
  const { meaning = '', isConfidential = false, added = [] } = shape;
  const earlier = added.toReversed().map((_, at) => {
    const lacking = new Set<string>(added.slice(added.length - 1 - at).flat());
    const before = columns.filter((column) => !lacking.has(column.name));
    return { columns: before, fingerprint: fingerprintOf(before) };
  });
  const fingerprint = fingerprintOf(columns);
  return { name, meaning, isConfidential, columns, fingerprint, earlier };
}

function columnFrom(name: string, given: ColumnType | ColumnFacts, isKey: boolean): Column {
  if (typeof given === 'string') return { name, type: given, isKey, copied: 'drop', meaning: '' };
  const { field, ...facts } = given;
  return { name, isKey, ...facts, ...(field && { field: field === true ? name : field }) };
}

function fingerprintOf(columns: readonly Column[]): string {
  const facts = columns.map(({ name, type, isKey }) => ({ name, type, isKey }));
  return sha256Hex(canonicalJson(facts)).slice(0, 16);
}

/** Whether the names are those of the table's columns, in order. */
export function hasColumns({ columns }: TableSchema, names: readonly string[]): boolean {
  return names.length === columns.length && columns.every(({ name }, at) => name === names[at]);
}

/** The columns that an answer of the service fills. @param answer which one, where a row is made of several */
export function fieldColumns(
  { columns }: TableSchema,
  answer = '',
): readonly (Column & { readonly field: string })[] {
  return columns.filter(
    (column): column is Column & { readonly field: string } =>
      column.field !== undefined && (column.answers?.includes(answer) ?? true),
  );
}

/** Makes a view of every table over exactly its files. */
import type { ColumnType, TableSchema } from '../model/table-schema.js';
import { TABLES } from '../model/tables.js';
import type { FileEntry } from '../archive/log/commit.js';
import type { Snapshot } from './snapshot.js';
import { sqlList, sqlName, sqlText } from './sql-text.js';

export interface View {
  readonly name: string;
  /** The SQL after `AS`. */
  readonly select: string;
}

/** DuckDB's types. */
export const DUCKDB_TYPES: Readonly<Record<ColumnType, string>> = {
  string: 'VARCHAR',
  int32: 'INTEGER',
  int64: 'BIGINT',
  bool: 'BOOLEAN',
  ts: 'TIMESTAMPTZ',
};

/**
 * @param snapshot each table's files
 * @param pathOf the path or URL of a file for DuckDB; undefined to leave it out
 */
export function tableViews(
  { files }: Pick<Snapshot, 'files'>,
  pathOf: (file: FileEntry) => string | undefined,
): View[] {
  return TABLES.map((table) => {
    const own = files.get(table.name) ?? [];
    const places = own.flatMap((file) => pathOf(file) ?? []);
    return { name: table.name, select: selectFrom(table, places, own.some(isOlderThan(table))) };
  });
}

/** Whether a file was written before columns were added. */
function isOlderThan({ fingerprint }: TableSchema) {
  return ({ schema }: FileEntry): boolean => schema !== fingerprint;
}

export function createView({ name, select }: View): string {
  return `CREATE OR REPLACE VIEW ${sqlName(name)} AS\n${select};\n`;
}

function selectFrom(table: TableSchema, files: readonly string[], areOlder: boolean): string {
  const [first] = files;
  if (first === undefined) return emptySelect(table);
  if (!first.endsWith('.parquet')) return jsonSelect(table, files);
  return areOlder ? olderParquetSelect(table, files) : parquetSelect(table, files);
}

function emptySelect({ columns }: TableSchema): string {
  const nulls = columns.map(
    ({ name, type }) => `CAST(NULL AS ${DUCKDB_TYPES[type]}) AS ${sqlName(name)}`,
  );
  return `SELECT ${nulls.join(', ')} WHERE false`;
}

function parquetSelect({ columns }: TableSchema, files: readonly string[]): string {
  const names = columns.map(({ name }) => sqlName(name));
  return `SELECT ${names.join(', ')}\nFROM read_parquet(${sqlList(files.map(escapeGlob))}, hive_partitioning = false)`;
}

/** A column that a file lacks is null. DuckDB opens each file to find out. */
function olderParquetSelect(table: TableSchema, files: readonly string[]): string {
  const options = 'hive_partitioning = false, union_by_name = true';
  const read = `SELECT * FROM read_parquet(${sqlList(files.map(escapeGlob))}, ${options})`;
  return `${emptySelect(table)}\nUNION ALL BY NAME\n${read}`;
}

function jsonSelect({ columns }: TableSchema, files: readonly string[]): string {
  const read = columns.map(
    ({ name, type }) =>
      `${sqlName(name)}: ${sqlText(type === 'ts' ? 'VARCHAR' : DUCKDB_TYPES[type])}`,
  );
  // ISO 8601 writes the year 12024 as +012024, which DuckDB does not take
  const selected = columns.map(({ name, type }) =>
    type === 'ts'
      ? `CAST(regexp_replace(${sqlName(name)}, '^\\+0*', '') AS TIMESTAMPTZ) AS ${sqlName(name)}`
      : sqlName(name),
  );
  const options = `format = 'newline_delimited', compression = 'gzip', hive_partitioning = false`;
  return `SELECT ${selected.join(', ')}\nFROM read_json(${sqlList(files.map(escapeGlob))}, ${options}, maximum_object_size = ${MAX_ROW_BYTES}, columns = {${read.join(', ')}})`;
}

/** Escapes a path: DuckDB reads paths as glob patterns. */
export function escapeGlob(path: string): string {
  return path.replaceAll(/[[*?]/g, '[$&]');
}

/** A record is rarely larger than a megabyte; DuckDB holds two rows of this size per thread. */
const MAX_ROW_BYTES = 64 * 1024 * 1024;

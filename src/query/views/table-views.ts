/** Makes a view of every table over exactly its files. */
import type { FileEntry } from '../../archive/log/commit.js';
import { ROW_FORMATS } from '../../formats/formats.js';
import type { ColumnType, TableSchema } from '../../model/table-schema.js';
import { TABLES } from '../../model/tables.js';
import { sqlList, sqlName, sqlText } from '../sql-text.js';
import { isOf, type Snapshot } from '../snapshot.js';

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

/** One of the archives of a query. */
export interface Source {
  readonly snapshot: Snapshot;
  /** The path or URL of a file for DuckDB; undefined to leave it out. */
  readonly pathOf: (file: FileEntry) => string | undefined;
}

/** Over several archives each table has one more column, `archive`, and the rows of all. */
export function tableViews(sources: readonly Source[]): View[] {
  return TABLES.map((table) => {
    const selects = sources.map(({ snapshot, pathOf }) => {
      const files = snapshot.files.get(table.name) ?? [];
      const select = selectFrom(
        table,
        files.flatMap((file) => pathOf(file) ?? []),
      );
      if (sources.length === 1) return select;
      return `SELECT *, ${sqlText(snapshot.location)} AS archive\nFROM (${select})`;
    });
    return { name: table.name, select: selects.join('\nUNION ALL ') };
  });
}

/** @param options.isTemporary of one connection, beside the tables of its database. Default false */
export function createView({ name, select }: View, { isTemporary = false } = {}): string {
  return `CREATE OR REPLACE ${isTemporary ? 'TEMP ' : ''}VIEW ${sqlName(name)} AS\n${select};\n`;
}

function selectFrom(table: TableSchema, files: readonly string[]): string {
  const [first = ''] = files;
  const format = ROW_FORMATS.find((candidate) => isOf(candidate, first));
  if (!format) return emptySelect(table);
  const { table: tableOf, readAs } = format.rows;
  const read = table.columns.map(
    ({ name, type }) => `${sqlName(name)}: ${sqlText(DUCKDB_TYPES[readAs?.[type]?.type ?? type])}`,
  );
  const selected = table.columns.map(({ name, type }) => {
    const column = sqlName(name);
    const cell = readAs?.[type]?.cell(column);
    return cell === undefined ? column : `${cell} AS ${column}`;
  });
  const from = tableOf(sqlList(files.map(escapeGlob)), `{${read.join(', ')}}`);
  return `SELECT ${selected.join(', ')}\nFROM ${from}`;
}

function emptySelect({ columns }: TableSchema): string {
  const nulls = columns.map(
    ({ name, type }) => `CAST(NULL AS ${DUCKDB_TYPES[type]}) AS ${sqlName(name)}`,
  );
  return `SELECT ${nulls.join(', ')} WHERE false`;
}

/** Escapes a path: DuckDB reads paths as glob patterns. */
export function escapeGlob(path: string): string {
  return path.replaceAll(/[[*?]/g, '[$&]');
}

/** Reads from the log the files of every table, and the sessions that the service no longer has. */
import type { Archive } from '../archive/archive.js';
import type { Commit, FileEntry } from '../archive/log/commit.js';
import type { LogIndex } from '../archive/log/log-index.js';
import { sessionKey } from '../model/ids.js';
import type { ColumnType, TableSchema } from '../model/table-schema.js';
import { TABLES } from '../model/tables.js';
import { sqlList, sqlName, sqlText } from './result-columns.js';

export interface Snapshot {
  readonly location: string;
  /** Number of the newest commit; 0 of an empty log. */
  readonly commit: number;
  /** By table; part files of one format, ordered by path. */
  readonly files: ReadonlyMap<string, readonly FileEntry[]>;
  readonly gone: readonly GoneSession[];
}

/** An archived session that the service no longer has. Times are ISO 8601. */
export interface GoneSession {
  readonly user: string;
  readonly session: string;
  /** When a complete listing first lacked it. */
  readonly goneAt: string | null;
  /** When its deletion was recorded. */
  readonly deletedAt: string | null;
}

/** Each format of an archive has all rows: one is enough, and Parquet is faster. */
const EXTENSIONS = ['parquet', 'jsonl.gz'] as const;

/** @throws {IntegrityError} the log is damaged */
export async function readSnapshot(archive: Archive, signal?: AbortSignal): Promise<Snapshot> {
  const { index, storage } = archive;
  await index.refresh();
  const gone = new GoneSessions(index.snapshot);
  const { walkFrom: from, through } = index;
  for await (const commit of index.walk({ from, through, signal })) gone.add(commit);
  return {
    location: storage.location,
    commit: through,
    files: filesByTable([...index.contents.files.values()]),
    gone: gone.list(),
  };
}

function filesByTable(files: readonly FileEntry[]): Map<string, FileEntry[]> {
  const extension = EXTENSIONS.find((one) => files.some(({ path }) => path.endsWith(`.${one}`)));
  const byTable = new Map<string, FileEntry[]>();
  for (const file of files) {
    if (extension === undefined || !file.path.endsWith(`.${extension}`)) continue;
    const others = byTable.get(file.table);
    if (others) others.push(file);
    else byTable.set(file.table, [file]);
  }
  for (const some of byTable.values()) some.sort((a, b) => (a.path < b.path ? -1 : 1));
  return byTable;
}

/** Follows the log: a session that was read from the service again is no longer gone. */
class GoneSessions {
  readonly #byKey = new Map<string, GoneSession>();

  /** @param before as of the commit before the first one that is added; default: nothing */
  constructor(before: LogIndex['snapshot']) {
    for (const { user, sessions } of before?.users.values() ?? []) {
      for (const [session, { summary, deletedAt }] of sessions) {
        const { goneAt } = summary;
        if (goneAt === null && deletedAt === null) continue;
        this.#byKey.set(sessionKey(user, session), { user, session, goneAt, deletedAt });
      }
    }
  }

  add(commit: Pick<Commit, 'sessions' | 'deletions'>): void {
    for (const { user, session, gone_at: goneAt } of commit.sessions) {
      const key = sessionKey(user, session);
      if (goneAt === null) this.#byKey.delete(key);
      else {
        const deletedAt = this.#byKey.get(key)?.deletedAt ?? null;
        this.#byKey.set(key, { user, session, goneAt, deletedAt });
      }
    }
    for (const { user, session, deleted_at: deletedAt } of commit.deletions) {
      const key = sessionKey(user, session);
      const goneAt = this.#byKey.get(key)?.goneAt ?? null;
      this.#byKey.set(key, { user, session, goneAt, deletedAt });
    }
  }

  list(): GoneSession[] {
    return [...this.#byKey.values()];
  }
}

/** Makes a view of every table over exactly its files. */

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
    return { name: table.name, select: selectFrom(table, places) };
  });
}

export function createView({ name, select }: View): string {
  return `CREATE OR REPLACE VIEW ${sqlName(name)} AS\n${select};\n`;
}

function selectFrom(table: TableSchema, files: readonly string[]): string {
  const [first] = files;
  if (first === undefined) return emptySelect(table);
  if (!first.endsWith('.parquet')) return jsonSelect(table, files);
  return parquetSelect(table, files);
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

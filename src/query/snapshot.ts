/** Reads from the log the files of every table, and the sessions that the service no longer has. */
import type { Archive } from '../archive/archive.js';
import type { ArchiveIdentity } from '../archive/identity.js';
import type { Commit, FileEntry } from '../archive/log/commit.js';
import type { LogIndex } from '../archive/log/log-index.js';
import { ROW_FORMATS } from '../formats/formats.js';
import { sessionKey, type UserId } from '../model/ids.js';
import type { ColumnType, TableSchema } from '../model/table-schema.js';
import { TABLES } from '../model/tables.js';
import { sqlList, sqlName, sqlText } from './result-columns.js';

export interface Snapshot {
  readonly location: string;
  readonly service: ArchiveIdentity['service'];
  /** Those who have sessions. */
  readonly users: readonly UserId[];
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

/** @throws {IntegrityError} the log is damaged */
export async function readSnapshot(archive: Archive, signal?: AbortSignal): Promise<Snapshot> {
  const { index, storage, identity } = archive;
  await index.refresh();
  const gone = new GoneSessions(index.snapshot);
  const { walkFrom: from, through } = index;
  for await (const commit of index.walk({ from, through, signal })) gone.add(commit);
  return {
    location: storage.location,
    service: identity.service,
    users: index.users,
    commit: through,
    files: filesByTable([...index.contents.files.values()]),
    gone: gone.list(),
  };
}

function filesByTable(files: readonly FileEntry[]): Map<string, FileEntry[]> {
  // each format of an archive has all rows: one is enough, and the first is the fastest
  const format = ROW_FORMATS.find((one) => files.some(({ path }) => isOf(one, path)));
  const byTable = new Map<string, FileEntry[]>();
  for (const file of files) {
    if (!format || !isOf(format, file.path)) continue;
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
      const own = snapshot.files.get(table.name) ?? [];
      const select = selectFrom(
        table,
        own.flatMap((file) => pathOf(file) ?? []),
      );
      if (sources.length === 1) return select;
      return `SELECT *, ${sqlText(snapshot.location)} AS archive\nFROM (${select})`;
    });
    return { name: table.name, select: selects.join('\nUNION ALL ') };
  });
}

export function createView({ name, select }: View): string {
  return `CREATE OR REPLACE VIEW ${sqlName(name)} AS\n${select};\n`;
}

function isOf({ extension }: (typeof ROW_FORMATS)[number], path: string): boolean {
  return path.endsWith(`.${extension}`);
}

function selectFrom(table: TableSchema, files: readonly string[]): string {
  const [first = ''] = files;
  const format = ROW_FORMATS.find((one) => isOf(one, first));
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

/** Runs SQL on the newest commit of one archive or of several, also while another run rewrites files. */
import { fromSnapshot, type Archive } from '../archive/archive.js';
import { IntegrityError } from '../archive/archive-errors.js';
import type { FileEntry } from '../archive/log/commit.js';
import { usersInSeveral } from '../archive/reading/users/users-in-several.js';
import { JobvaultError } from '../base/error.js';
import {
  makeTemporaryDirectory,
  type TemporaryDirectory,
} from '../storage/local/temporary-directory.js';
import { viewsOver } from './views/archive-views.js';
import {
  type DatabaseOptions,
  openLockedDatabase,
  type LockedDatabase,
} from './locked-database.js';
import { duckDbFailure, isUnknownTable } from './is-unknown-table.js';
import { loadDuckDb, type DuckDb } from './duckdb.js';
import { assertUsersFileFits, type UserRow } from './views/users-view.js';
import type { TextFunction } from './text-function.js';
import { locateFiles } from './locate-files.js';
import { type CommitOf, type QueryResult } from './query-result.js';
import { sqlText } from './sql-text.js';
import { readSnapshot, type Snapshot } from './snapshot.js';
import { assertOneSelect, assertPlanned } from './statement.js';
import { mayListViews, namedViews, namesIn } from './needed-tables.js';
import { type Answer, RESULT_TABLE, openResult } from './open-result.js';

export interface QueryOptions {
  readonly archive: Archive;
  /** Further archives: each table has the rows of all, and a column `archive`. Default: none. */
  readonly others?: readonly Archive[];
  /** One SELECT. */
  readonly sql: string;
  /** Whether the SQL may list views: then all are made, else those that it names. Default: by its words. */
  readonly listsViews?: boolean;
  /** What `current_*` leave out of the archive. Default: what is listed again anywhere in it. */
  readonly listedAgain?: Snapshot['listedAgain'];
  /** Rows of a users file: what they say of a user stands in the view `users`. Default: none was given. */
  readonly users?: readonly UserRow[] | undefined;
  /** Functions of text that the SQL may call. Default: none. */
  readonly functions?: readonly TextFunction[] | undefined;
  /** The memory limit of DuckDB; default: 1 GB. */
  readonly memoryBytes?: number;
  /** The most to download from a bucket; default: 10 GB. */
  readonly maxFetchBytes?: number;
  /**
   * The most to read back from a local archive before the query, to compare it with the log. With more, only
   * sizes are compared, and the result says so. Default: 256 MB, about half a second.
   */
  readonly maxReadBackBytes?: number;
  /** For downloads and for what does not fit into memory; default: that of the system. */
  readonly temporaryDirectory?: string | undefined;
  /** Interrupts the query. */
  readonly signal?: AbortSignal | undefined;
}

/** What who queries an open archive may choose. */
export type QueryChoices = Omit<QueryOptions, 'archive' | 'others' | 'sql' | 'signal'>;

export const QUERY_DEFAULTS = {
  memoryBytes: 1e9,
  maxFetchBytes: 10e9,
  maxReadBackBytes: 256e6,
} as const;

/** Another run can rewrite files during a query; then it starts again with the newest commit. */
const MAX_ATTEMPTS = 10;

/**
 * Runs the query to its end, passes the result to `use`, and leaves nothing behind.
 *
 * @throws {QueryError} DuckDB cannot answer the query
 * @throws {UsageError} DuckDB is not installed, the SQL does more than read, or a pseudonymised copy takes no users file
 * @throws {IntegrityError} the log or a file of the archive is damaged
 * @throws {StorageError} the temporary directory is full
 */
export async function queryArchive<T>(
  options: QueryOptions,
  use: (result: QueryResult) => Promise<T>,
): Promise<T> {
  assertUsersFileFits([options.archive, ...(options.others ?? [])], options.users);
  const duckDb = loadDuckDb();
  const temporary = await makeTemporaryDirectory(options.temporaryDirectory);
  try {
    const answer = await answered({ ...options, duckDb, temporary });
    const { signal } = options;
    try {
      return await interruptible(answer.database, signal, async () =>
        use(await openResult({ ...answer, temporary, signal })),
      );
    } finally {
      answer.database.close();
    }
  } finally {
    await temporary.remove();
  }
}

interface Attempt extends QueryOptions {
  readonly duckDb: DuckDb;
  readonly temporary: TemporaryDirectory;
}

async function answered(attempt: Attempt): Promise<Answer> {
  for (let number = 1; ; number++) {
    const snapshots = await readSnapshots(attempt);
    try {
      return await answer(attempt, snapshots);
    } catch (error) {
      attempt.signal?.throwIfAborted();
      if (number < MAX_ATTEMPTS && (await hasLostFiles(attempt, snapshots))) continue;
      throw asKnownError(error, snapshots);
    }
  }
}

type Snapshots = readonly [Snapshot, ...Snapshot[]];

/** One after the other: what is known of an archive's sessions is not kept. */
async function readSnapshots({
  archive,
  others = [],
  sql,
  listedAgain,
  signal,
}: Attempt): Promise<Snapshots> {
  const asked = namesIn(sql);
  const whole = await readSnapshot(archive, signal, asked);
  const first = listedAgain ? { ...whole, listedAgain } : whole;
  const more: Snapshot[] = [];
  for (const other of others) more.push(await readSnapshot(fromSnapshot(other), signal, asked));
  return [first, ...more];
}

async function answer(attempt: Attempt, snapshots: Snapshots): Promise<Answer> {
  const { archive, others = [], sql, functions = [], duckDb, temporary, signal } = attempt;
  const { memoryBytes = QUERY_DEFAULTS.memoryBytes } = attempt;
  const { maxFetchBytes = QUERY_DEFAULTS.maxFetchBytes } = attempt;
  const { maxReadBackBytes = QUERY_DEFAULTS.maxReadBackBytes } = attempt;
  const needed = namesIn(sql);
  const wanted = [archive, ...others].map(({ storage }, at) => ({
    storage,
    files: [...(snapshots[at]?.files ?? [])].flatMap(([table, some]) =>
      needed.has(table) ? some : [],
    ),
  }));
  const limits = { temporary, maxFetchBytes, maxReadBackBytes, signal };
  const { paths, unverifiedBytes } = await locateFiles(wanted, limits);
  const all = viewsOver(
    snapshots.map((snapshot, at) => ({ snapshot, pathOf: ({ path }) => paths[at]?.get(path) })),
    attempt.users,
  );
  const readable = paths.flatMap((some) => [...some.values()]);
  const opening = { duckDb, functions, readable, temporary, memoryBytes };
  const views = (attempt.listsViews ?? mayListViews(sql)) ? all : namedViews(all, sql);
  const database = await databaseWithResult({ ...opening, views }, sql, signal).catch(
    (error: unknown) => {
      if (views === all || !isUnknownTable(error)) throw error;
      // once more with all views: DuckDB suggests a name that is there
      return databaseWithResult({ ...opening, views: all }, sql, signal);
    },
  );
  const [first, ...more] = snapshots;
  const commits: QueryResult['commits'] = [commitOf(first), ...more.map(commitOf)];
  return { database, commits, usersInSeveral: usersInSeveral(snapshots), unverifiedBytes };
}

async function databaseWithResult(
  opening: DatabaseOptions,
  sql: string,
  signal: AbortSignal | undefined,
): Promise<LockedDatabase> {
  const database = await openLockedDatabase(opening);
  try {
    await interruptible(database, signal, async () => {
      const { connection } = database;
      await assertOneSelect(connection, sql);
      try {
        // `query` accepts only one SELECT: a second check, and no text can end it early
        await connection.run(`CREATE TABLE ${RESULT_TABLE} AS FROM query(${sqlText(sql)})`);
      } catch (error) {
        if (signal?.aborted !== true) await assertPlanned(connection, sql);
        throw error;
      }
    });
    return database;
  } catch (error) {
    database.close();
    throw error;
  }
}

async function interruptible<T>(
  { connection }: LockedDatabase,
  signal: AbortSignal | undefined,
  work: () => Promise<T>,
): Promise<T> {
  const interrupt = () => {
    connection.interrupt();
  };
  signal?.throwIfAborted();
  signal?.addEventListener('abort', interrupt);
  try {
    return await work();
  } finally {
    signal?.removeEventListener('abort', interrupt);
  }
}

/** Whether files of the snapshot have left the archive since, which can be the cause of the error. */
async function hasLostFiles(attempt: Attempt, snapshots: readonly Snapshot[]): Promise<boolean> {
  const now = await readSnapshots(attempt);
  return snapshots.some((snapshot, at) => {
    const there = new Set(now[at] && filesOf(now[at]).map(({ path }) => path));
    return filesOf(snapshot).some(({ path }) => !there.has(path));
  });
}

function commitOf({ location, commit }: Snapshot): CommitOf {
  return { archive: location, commit };
}

function filesOf({ files }: Snapshot): FileEntry[] {
  return [...files.values()].flat();
}

function asKnownError(error: unknown, snapshots: readonly Snapshot[]): unknown {
  if (error instanceof JobvaultError || !(error instanceof Error)) return error;
  const text = error.message;
  const damaged = snapshots.flatMap(filesOf).find(({ path }) => text.includes(path));
  if (!damaged) return duckDbFailure(error);
  const detail = `cannot be read (${text}); jobvault verify shows more`;
  return new IntegrityError(damaged.path, 'unreadable', detail, { cause: error });
}

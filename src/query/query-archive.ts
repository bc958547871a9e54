/** Runs SQL on the newest commit of an archive, also while another run rewrites files. */
import type { Archive } from '../archive/archive.js';
import { IntegrityError } from '../archive/verify/integrity-error.js';
import { JobvaultError } from '../base/error.js';
import {
  makeTemporaryDirectory,
  type TemporaryDirectory,
} from '../storage/local/temporary-directory.js';
import { currentViews } from './current-views.js';
import { goneSessionsView } from './gone-sessions.js';
import { loadDuckDb, type DuckDb } from './duck-db.js';
import { duckDbFailure } from './duck-db-failure.js';
import { openLockedDatabase, type LockedDatabase } from './locked-database.js';
import { neededTables } from './needed-tables.js';
import { locateFiles } from './locate-files.js';
import { QUESTION_VIEWS } from './question-views.js';
import { openResult, RESULT_TABLE } from './open-result.js';
import type { QueryResult } from './query-result.js';
import { readSnapshot, type Snapshot } from './snapshot.js';
import { sqlText } from './sql-text.js';
import { assertOneSelect } from './statement.js';
import { tableViews } from './table-views.js';

export interface QueryOptions {
  readonly archive: Archive;
  /** One SELECT. */
  readonly sql: string;
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

const QUERY_DEFAULTS = {
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
 * @throws {UsageError} DuckDB is not installed, or the SQL does more than read
 * @throws {IntegrityError} the log or a file of the archive is damaged
 * @throws {StorageError} the temporary directory is full
 */
export async function queryArchive<T>(
  options: QueryOptions,
  use: (result: QueryResult) => Promise<T>,
): Promise<T> {
  const duckDb = loadDuckDb();
  const temporary = await makeTemporaryDirectory(options.temporaryDirectory);
  try {
    const { database, commit, unverifiedBytes } = await answered({ ...options, duckDb, temporary });
    const { signal } = options;
    try {
      return await interruptible(database, signal, async () =>
        use(await openResult({ database, temporary, commit, unverifiedBytes, signal })),
      );
    } finally {
      database.close();
    }
  } finally {
    await temporary.remove();
  }
}

interface Attempt extends QueryOptions {
  readonly duckDb: DuckDb;
  readonly temporary: TemporaryDirectory;
}

/** A database with the result in it. */
interface Answer {
  readonly database: LockedDatabase;
  readonly commit: number;
  readonly unverifiedBytes: number;
}

async function answered(attempt: Attempt): Promise<Answer> {
  for (let number = 1; ; number++) {
    const snapshot = await readSnapshot(attempt.archive, attempt.signal);
    try {
      return await answer(attempt, snapshot);
    } catch (error) {
      attempt.signal?.throwIfAborted();
      if (number < MAX_ATTEMPTS && (await hasLostFiles(attempt, snapshot))) continue;
      throw asKnownError(error, snapshot);
    }
  }
}

async function answer(attempt: Attempt, snapshot: Snapshot): Promise<Answer> {
  const { archive, sql, duckDb, temporary, signal } = attempt;
  const { memoryBytes = QUERY_DEFAULTS.memoryBytes } = attempt;
  const { maxFetchBytes = QUERY_DEFAULTS.maxFetchBytes } = attempt;
  const { maxReadBackBytes = QUERY_DEFAULTS.maxReadBackBytes } = attempt;
  const { storage } = archive;
  const needed = neededTables(sql);
  const files = [...snapshot.files].flatMap(([table, some]) => (needed.has(table) ? some : []));
  const { paths, unverifiedBytes } = await locateFiles(files, {
    storage,
    temporary,
    maxFetchBytes,
    maxReadBackBytes,
    signal,
  });
  const views = [
    ...tableViews(snapshot, ({ path }) => paths.get(path)),
    goneSessionsView(snapshot.gone),
    ...currentViews(),
    ...QUESTION_VIEWS,
  ];
  const readable = [...paths.values()];
  const database = await openLockedDatabase({ duckDb, views, readable, temporary, memoryBytes });
  try {
    await interruptible(database, signal, async () => {
      await assertOneSelect(duckDb, database.connection, sql);
      // `query` accepts only one SELECT: a second check, and no text can end it early
      await database.connection.run(`CREATE TABLE ${RESULT_TABLE} AS FROM query(${sqlText(sql)})`);
    });
    return { database, commit: snapshot.commit, unverifiedBytes };
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
async function hasLostFiles({ archive, signal }: Attempt, { files }: Snapshot): Promise<boolean> {
  const now = await readSnapshot(archive, signal);
  const there = new Set([...now.files.values()].flat().map(({ path }) => path));
  return [...files.values()].flat().some(({ path }) => !there.has(path));
}

function asKnownError(error: unknown, { files }: Snapshot): unknown {
  if (error instanceof JobvaultError || !(error instanceof Error)) return error;
  const text = error.message;
  const damaged = [...files.values()].flat().find(({ path }) => text.includes(path));
  if (!damaged) return duckDbFailure(error);
  const detail = `cannot be read (${text}); jobvault verify shows more`;
  return new IntegrityError(damaged.path, 'unreadable', detail, { cause: error });
}

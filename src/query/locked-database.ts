/**
 * A DuckDB in memory with the archive's views, locked: it opens the files that it was told of, one more to
 * write a result to, and nothing else; SQL cannot unlock it.
 */
import type { TemporaryDirectory } from '../storage/local/temporary-directory.js';
import type { DuckDb, DuckDBConnection } from './duck-db.js';
import { sqlList, sqlText } from './sql-text.js';
import { createView, literally, type View } from './table-views.js';

export interface DatabaseOptions {
  readonly duckDb: DuckDb;
  readonly views: readonly View[];
  /** Files on this machine that may be read. */
  readonly readable: readonly string[];
  readonly temporary: TemporaryDirectory;
  /** What DuckDB may hold in memory; the rest goes to the temporary directory. */
  readonly memoryBytes: number;
}

export interface LockedDatabase {
  readonly connection: DuckDBConnection;
  /** Where a result may be written. */
  readonly resultFile: string;
  close(): void;
}

/** Holds what is made while a query is answered. */
export const RESULT_DATABASE = 'jobvault_result';
/** Inside the temporary directory. */
const RESULT_FILE = 'result.parquet';

export async function openLockedDatabase(options: DatabaseOptions): Promise<LockedDatabase> {
  const { duckDb, views, readable, temporary, memoryBytes } = options;
  const resultFile = `${temporary.path}/${RESULT_FILE}`;
  const instance = await duckDb.DuckDBInstance.create(':memory:');
  try {
    const connection = await instance.connect();
    const settings = [
      `TimeZone = 'UTC'`,
      `memory_limit = '${memoryBytes}B'`,
      `temp_directory = ${sqlText(`${temporary.path}/spill`)}`,
      'autoinstall_known_extensions = false',
      'autoload_known_extensions = false',
      'allow_community_extensions = false',
      'allow_persistent_secrets = false',
    ];
    for (const setting of settings) await connection.run(`SET ${setting}`);
    for (const view of views) await connection.run(createView(view));
    // a place of its own, so that the result is not among the tables that SHOW TABLES lists
    await connection.run(`ATTACH ':memory:' AS ${RESULT_DATABASE}`);
    // a path is asked for as the views write it, then as the file is named
    const allowed = new Set([...readable, ...readable.map(literally), resultFile]);
    await connection.run(`SET allowed_paths = ${sqlList([...allowed])}`);
    await connection.run('SET enable_external_access = false');
    await connection.run('SET lock_configuration = true');
    const close = () => {
      connection.closeSync();
      instance.closeSync();
    };
    return { connection, resultFile, close };
  } catch (error) {
    instance.closeSync();
    throw error;
  }
}

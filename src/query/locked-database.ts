/**
 * Opens a DuckDB in memory with the archive's views, locked: it can open the given files, write one result
 * file, and nothing else. SQL cannot unlock it.
 */
import type { TemporaryDirectory } from '../storage/local/temporary-directory.js';
import type { DuckDb, DuckDBConnection } from './duck-db.js';
import { sqlList, sqlText } from './sql-text.js';
import { createView, escapeGlob, type View } from './table-views.js';

export interface DatabaseOptions {
  readonly duckDb: DuckDb;
  readonly views: readonly View[];
  /** Local files that may be read. */
  readonly readable: readonly string[];
  readonly temporary: TemporaryDirectory;
  /** The memory limit of DuckDB; the rest goes to the temporary directory. */
  readonly memoryBytes: number;
}

export interface LockedDatabase {
  readonly connection: DuckDBConnection;
  /** Where a result may be written. */
  readonly resultFile: string;
  close(): void;
}

/** The database of the result table. */
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
    // a separate database, so that SHOW TABLES does not list the result
    await connection.run(`ATTACH ':memory:' AS ${RESULT_DATABASE}`);
    // DuckDB checks a path first as the views write it, then as the file name
    const allowed = new Set([...readable, ...readable.map(escapeGlob), resultFile]);
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

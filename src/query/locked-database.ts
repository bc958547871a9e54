/**
 * Opens a DuckDB in memory with the archive's views, locked: it can open the given files, write one result
 * file, and nothing else. SQL cannot unlock it.
 */
import type { TemporaryDirectory } from '../storage/local/temporary-directory.js';
import { sqlList, sqlText } from './sql-text.js';
import { createView, escapeGlob, type View } from './views/table-views.js';
import { messageOf } from '../base/error.js';
import type { TextFunction } from './text-function.js';
import type { DuckDBConnection } from '@duckdb/node-api';
import type { DuckDb } from './duckdb.js';

export interface DatabaseOptions {
  readonly duckDb: DuckDb;
  readonly views: readonly View[];
  readonly functions: readonly TextFunction[];
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
  const { duckDb, views, functions, readable, temporary, memoryBytes } = options;
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
    for (const sqlFunction of functions) registerFunction(duckDb, connection, sqlFunction);
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

export function registerFunction(
  { DuckDBScalarFunction, VARCHAR }: DuckDb,
  connection: DuckDBConnection,
  { name, parameters, apply }: TextFunction,
): void {
  const made = DuckDBScalarFunction.create({
    name,
    parameterTypes: Array.from({ length: parameters }, () => VARCHAR),
    returnType: VARCHAR,
    // else a null is given for a null, and the function is not called
    specialHandling: true,
    mainFunction: (info, input, output) => {
      try {
        const columns = Array.from({ length: parameters }, (_, at) => input.getColumnVector(at));
        for (let row = 0; row < input.rowCount; row++) {
          const texts = columns.map((column) => column.getItem(row) as string | null);
          output.setItem(row, apply(...texts));
        }
        output.flush();
      } catch (error) {
        info.setError(messageOf(error));
      }
    },
  });
  connection.registerScalarFunction(made);
}

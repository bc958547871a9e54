/**
 * Opens a DuckDB in memory with the archive's views, locked: it can open the given files, write one result
 * file, and nothing else. SQL cannot unlock it.
 */
import type { TemporaryDirectory } from '../storage/local/whole-directory.js';
import { sqlList, sqlText } from './result-columns.js';
import { createView, escapeGlob, type View } from './table-views.js';
import { JobvaultError, messageOf, UsageError } from '../base/error.js';
import { StorageError } from '../storage/storage-errors.js';
import { QueryError } from './query-error.js';
import type { TextFunction } from './text-function.js';
import { createRequire } from 'node:module';
import type * as DuckDbModule from '@duckdb/node-api';
import type { DuckDBConnection } from '@duckdb/node-api';

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
    for (const one of functions) registerFunction(duckDb, connection, one);
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

/** Turns DuckDB's errors, whose messages begin with their kind, into errors of jobvault. */

/** A Binder Error may as well be of what the language does not allow. */
const UNKNOWN_NAME =
  /^Catalog Error|^Binder Error: .*(?:not found|does not exist|does not have a column)/;

/** No table, view or function has the name. */
export function isUnknownTable(error: unknown): boolean {
  return error instanceof Error && error.message.startsWith('Catalog Error');
}

/** Returns an error of jobvault unchanged. */
export function duckDbFailure(error: unknown): unknown {
  if (error instanceof JobvaultError || !(error instanceof Error)) return error;
  const text = error.message.replace(/^Failed to extract statements: /, '');
  const details = { cause: error };
  if (text.startsWith('Permission Error')) {
    const rule = 'A query reads only the tables of its archive.';
    return new QueryError(`${text}\n${rule}`, details);
  }
  if (text.startsWith('Out of Memory Error')) {
    return new QueryError(text, details, 'QUERY_OUT_OF_MEMORY');
  }
  // the archive's files were checked before the query: only the temporary directory can fail now
  if (text.startsWith('IO Error')) {
    return new StorageError(text, { ...details, trouble: 'space' });
  }
  const isUnknownName = UNKNOWN_NAME.test(text);
  return new QueryError(text, details, isUnknownName ? 'QUERY_UNKNOWN_NAME' : 'QUERY_REFUSED');
}

/** Loads DuckDB, an optional dependency of 70 MB. */

export type DuckDb = typeof DuckDbModule;

/** The version that the tests use. */
const PACKAGE = '@duckdb/node-api@1.5.5-r.5';

/**
 * The package is CommonJS: `import` would parse each of its files twice, 0.1 s in all.
 *
 * @throws {UsageError} it is not installed, or has no build for this machine
 */
export function loadDuckDb(): DuckDb {
  try {
    return createRequire(import.meta.url)('@duckdb/node-api') as DuckDb;
  } catch (cause) {
    const [reason = ''] = messageOf(cause).split('\n', 1);
    throw new UsageError(
      `DuckDB, an optional package, cannot be loaded here (${reason}); install it with npm install ${PACKAGE}`,
      { cause },
    );
  }
}

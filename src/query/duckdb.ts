/** Loads DuckDB, an optional dependency of 70 MB. */
import { messageOf, UsageError } from '../base/error.js';
import { createRequire } from 'node:module';
import type * as DuckDbModule from '@duckdb/node-api';

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

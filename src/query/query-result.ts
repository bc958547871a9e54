/** A query's result, whole and at rest: nothing of the archive is read any more. */
import type { ResultColumn } from './result-columns.js';

/** A cell for each column, as text: digits as DuckDB has them, times ISO 8601, lists and structs JSON. */
export type ResultRow = readonly (string | null)[];

export interface QueryResult {
  /** Number of the commit that was asked. */
  readonly commit: number;
  /** Of the files that were read, how much was compared with the log by size alone. */
  readonly unverifiedBytes: number;
  readonly columns: readonly ResultColumn[];
  readonly rowCount: number;
  /** In order, in batches of some 2,000. @param limit the first so many; default: all */
  rows(limit?: number): AsyncGenerator<readonly ResultRow[]>;
  /** The result as a Parquet file, typed as DuckDB types it. */
  parquet(): AsyncGenerator<Uint8Array>;
}

/** A query's complete result: the archive is no longer read. */
import type { UserInSeveral } from '../archive/reading/users/users-in-several.js';
import type { ResultColumn } from './result-columns.js';

/** A cell for each column, as text: numbers as DuckDB prints them, times as ISO 8601, lists and structs as JSON. */
export type ResultRow = readonly (string | null)[];

/** What was read of an archive. */
export interface CommitOf {
  /** Where it is. */
  readonly archive: string;
  readonly commit: number;
}

export interface QueryResult {
  /** The newest commit of each archive, in the order given. */
  readonly commits: readonly [CommitOf, ...CommitOf[]];
  /** Users whom several of the archives have: tables have their rows of each, `current_*` views each session once. */
  readonly usersInSeveral: readonly UserInSeveral[];
  /** The bytes of files of which only the size was compared with the log. */
  readonly unverifiedBytes: number;
  readonly columns: readonly ResultColumn[];
  readonly rowCount: number;
  /** In order, in batches of about 2,000. @param limit how many rows; default: all */
  rows(limit?: number): AsyncGenerator<readonly ResultRow[]>;
  /** The result as a Parquet file with DuckDB's types. */
  parquet(): AsyncGenerator<Uint8Array>;
}

import { JobvaultError } from '../base/error.js';

/** DuckDB refuses what it was asked; the message is DuckDB's own, with the place in the SQL. */
export class QueryError extends JobvaultError {
  override readonly name = 'QueryError';
  readonly code = 'QUERY_REFUSED';
  readonly disposition = 'fatal';
  readonly failure = 'usage';
}

import { JobvaultError, type ErrorDetails } from '../base/error.js';

/** DuckDB refuses what it was asked; the message is DuckDB's own, with the place in the SQL. */
export class QueryError extends JobvaultError {
  override readonly name = 'QueryError';
  /** `QUERY_UNKNOWN_NAME`: it has a table, a column or a function that there is not. */
  readonly code: 'QUERY_REFUSED' | 'QUERY_UNKNOWN_NAME';
  readonly disposition = 'fatal';
  readonly failure = 'usage';

  constructor(message: string, details: ErrorDetails, code: QueryError['code'] = 'QUERY_REFUSED') {
    super(message, details);
    this.code = code;
  }
}

import { JobvaultError, type ErrorDetails } from '../base/error.js';

/** DuckDB cannot answer the query; the message is DuckDB's own, with the place in the SQL. */
export class QueryError extends JobvaultError {
  override readonly name = 'QueryError';
  /** `QUERY_UNKNOWN_NAME`: a table, a column or a function does not exist. */
  readonly code: 'QUERY_REFUSED' | 'QUERY_UNKNOWN_NAME' | 'QUERY_OUT_OF_MEMORY';
  readonly disposition = 'fatal';
  readonly failure = 'usage';

  constructor(message: string, details: ErrorDetails, code: QueryError['code'] = 'QUERY_REFUSED') {
    super(message, details);
    this.code = code;
  }
}

/** Turns DuckDB's errors, whose messages begin with their kind, into errors of jobvault. */
import { JobvaultError } from '../base/error.js';
import { StorageError } from '../storage/storage-errors.js';
import { QueryError } from './query-error.js';

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

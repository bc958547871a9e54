/** Turns DuckDB's errors, whose messages begin with their kind, into errors of jobvault. */
import { JobvaultError } from '../base/error.js';
import { StorageError } from '../storage/storage-errors.js';
import { QueryError } from './query-error.js';

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
  const isUnknownName = /^(?:Binder|Catalog) Error/.test(text);
  return new QueryError(text, details, isUnknownName ? 'QUERY_UNKNOWN_NAME' : 'QUERY_REFUSED');
}

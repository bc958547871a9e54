/** What DuckDB throws, plain errors whose messages begin with their kind, as errors of ours. */
import { JobvaultError } from '../base/error.js';
import { StorageError } from '../storage/storage-error.js';
import { QueryError } from './query-error.js';

/** An error that is no plain one comes back as it is. */
export function duckDbFailure(error: unknown): unknown {
  if (error instanceof JobvaultError || !(error instanceof Error)) return error;
  const told = error.message.replace(/^Failed to extract statements: /, '');
  const details = { cause: error };
  if (told.startsWith('Permission Error')) {
    const rule = 'A query reads the tables of its archive and nothing else.';
    return new QueryError(`${told}\n${rule}`, details);
  }
  if (told.startsWith('Out of Memory Error')) {
    return new QueryError(
      `${told}\nMore --memory, or more room for --temp-dir, may help.`,
      details,
    );
  }
  // the archive's files have been looked at before: what is left is the temporary directory
  if (told.startsWith('IO Error')) return new StorageError(told, details);
  const isUnknownName = /^(?:Binder|Catalog) Error/.test(told);
  return new QueryError(told, details, isUnknownName ? 'QUERY_UNKNOWN_NAME' : 'QUERY_REFUSED');
}

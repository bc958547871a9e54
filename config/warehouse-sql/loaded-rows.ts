/**
 * What a table of a warehouse is brought up to date by. Rows of an archive are never changed: they come and, by an
 * erasure, go. So a row is known by its key and the run that wrote it, also one that was erased and archived again.
 */
import type { TableSchema } from '../../src/model/table-schema.js';
import { dictionaryEntry } from '../../src/query/data-dictionary.js';

/** The columns that tell a row from every other that its table has ever had. */
function rowKey({ columns }: TableSchema): string[] {
  return [...columns.filter(({ isKey }) => isKey).map(({ name }) => name), 'run_id'];
}

/** @param a what the row is called */
export function isSameRow(table: TableSchema, a: string, b: string): string {
  return rowKey(table)
    .map((column) => `${a}.${column} = ${b}.${column}`)
    .join(' AND ');
}

/**
 * What only the log knows, and the views need. Small, and replaced as a whole: it changes with every run, and a users file
 * has what columns it has.
 */
export const LOG_TABLES = ['users', 'runs', 'sessions_listed_again', 'accepted_losses'].map(
  (name) => dictionaryEntry(name),
);

/** The rows of a search, by the names of the columns of its statement. */
import type { QueryResult } from '../query/query-result.js';

/** In the order of the statement. First what is the same in every row: the counts. The last two are in rows that are no hits. */
const COLUMNS = [
  'total',
  'searched',
  'matches',
  'time_unknown',
  'tables_not_searched',
  'tables_in_part',
  'user_id',
  'session_id',
  'job_id',
  'verdict',
  'places',
  'created_at',
  'created_after',
  'created_before',
  'name',
  'said',
  'tables',
  'unread',
  'found',
] as const;

type Column = (typeof COLUMNS)[number];

/** Null in all columns of a hit in the one row of a search without hits; numbers and bits as text. */
export type SearchRow = Readonly<Record<Column, string | null>>;

/** The columns before the one of what was not read to its end, which are null in its rows. */
export const UNREAD_AT = COLUMNS.indexOf('unread');

export async function searchRowsOf(result: QueryResult): Promise<SearchRow[]> {
  const all: SearchRow[] = [];
  for await (const rows of result.rows()) {
    for (const cells of rows) all.push(rowOf(cells));
  }
  return all;
}

/** In a search without words there may be millions: field by field, so that all have one shape. */
function rowOf(cells: readonly (string | null)[]): SearchRow {
  const row = {} as Record<Column, string | null>;
  for (const [at, column] of COLUMNS.entries()) row[column] = cells[at] ?? null;
  return row;
}

/** A job as a hit names it; undefined of the row of a search without hits, and of what was not read. */
export function jobOfRow(row: SearchRow) {
  const { user_id: user, session_id: session, job_id: job } = row;
  return user === null || session === null || job === null ? undefined : { user, session, job };
}

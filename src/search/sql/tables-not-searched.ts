/** The tables in the jobs of a search of which it read nothing, or only the beginning. */
import { isOfShapeSql } from '../../model/blocks/block-types.js';
import { MAX_TABLE_TEXT_BYTES } from '../../model/tables.js';
import { UNREAD_AT } from '../search-rows.js';
import { IN_OR_UNKNOWN, IS_WITHIN } from './candidates.js';
import { JOB_VERSION_KEY, JOB_KEY, SESSION_KEY, type SearchStatement } from './search-statement.js';

/** Tables that are not searched, or not to their end. The same file is in a job twice as a rule, and counts once there. */
export function unreadSelect(search: SearchStatement, isHit: string): string {
  const isSearched = search.undated === 'include' ? IN_OR_UNKNOWN : IS_WITHIN;
  return `SELECT ${JOB_KEY}, min(block_index) AS block, min(name) AS file, bool_or(table_text IS NOT NULL) AS in_part,
    any_value(asked) AS asked, any_value(reach) AS reach, bool_or(${isHit}) AS is_found
  FROM (SELECT ${JOB_KEY}, block_index, name, sha256, table_text, asked, reach, verdict, mask,
      CASE WHEN sha256 IS NULL THEN row_number() OVER () END AS lost
    FROM artifacts JOIN candidates USING (${JOB_VERSION_KEY})
    WHERE ${isOfShapeSql('kind', 'table')} AND (bytes > ${MAX_TABLE_TEXT_BYTES} OR table_text IS NULL) AND ${isSearched})
  GROUP BY ${JOB_KEY}, sha256, lost`;
}

export const UNREAD_COUNTS =
  'SELECT count(*) FILTER (NOT in_part) AS tables_not_searched, count(*) FILTER (in_part) AS tables_in_part FROM unread';

export const NO_TABLES = 'SELECT 0 AS tables_not_searched, 0 AS tables_in_part';

/** With a limit of hits: those in jobs that were not found, and the newest, come first. */
const MOST_UNREAD = 1000;

/** The tables that were not searched to their end, one a row, as JSON: the other columns are null. */
export function unreadRows(hasLimit: boolean): string {
  const columns = [
    'user_id',
    'session_id',
    'session_name',
    'job_id',
    'file',
    'in_part',
    'is_found',
  ];
  return `
UNION ALL SELECT ${'NULL, '.repeat(UNREAD_AT)}to_json({${columns.map((name) => `${name}: ${name}`).join(', ')}})::VARCHAR AS unread, NULL AS found, place
FROM (SELECT unread.*, name AS session_name, row_number() OVER (ORDER BY is_found, asked DESC NULLS LAST, reach, ${JOB_KEY}, block, file) AS place
  FROM unread LEFT JOIN current_sessions USING (${SESSION_KEY}))${hasLimit ? ` WHERE place <= ${MOST_UNREAD}` : ''}`;
}

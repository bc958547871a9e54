/** What a search asks of the tables of an archive, and the columns that name a row there. */
import type { Undated } from '../../archive/reading/chosen-jobs.js';
import type { SearchWords } from '../parse-words.js';
import type { BoundedJob } from '../bounded-jobs.js';
import type { SearchField } from '../search-fields.js';
import { sqlText } from '../../query/sql-text.js';
import { rowId } from '../../model/ids.js';

export interface SearchStatement {
  readonly words: SearchWords;
  readonly fields: readonly SearchField[];
  /** Empty: everybody. */
  readonly users: readonly string[];
  /** Empty: every session of those users. */
  readonly sessions: readonly string[];
  /** In microseconds; `from` is in the period, `to` is not. */
  readonly from?: bigint | undefined;
  readonly to?: bigint | undefined;
  /** Whether the day of each question alone is known. Default: no. */
  readonly isOfDays?: boolean | undefined;
  /** Jobs without a time of their own that the period can judge all the same. */
  readonly bounded: readonly BoundedJob[];
  /** Undefined or `exclude`: jobs that the period cannot place are no hits; they are listed, too, with their verdict: with a limit, some. */
  readonly undated: Undated | undefined;
  /** How many hits there are at most; all of them where it is undefined, and all that were left out. */
  readonly limit: number | undefined;
  /** What a hit is shown with: the name of its session, the text in which a word was found. */
  readonly withTexts: boolean;
  /** Whether a column that is not named costs nothing, as in Parquet: then what is folded already is read apart. */
  readonly readsColumns: boolean;
}

export const JOB_KEY = 'user_id, session_id, job_id';
export const JOB_VERSION_KEY = `${JOB_KEY}, job_version`;
export const SESSION_KEY = 'user_id, session_id';

/** The rows of those whom it is about. */
export function restriction({ users, sessions }: SearchStatement, word: 'WHERE' | 'AND'): string {
  const oneOf = (column: string, ids: readonly string[]): string[] =>
    ids.length === 0 ? [] : [`${column} IN (${ids.map((id) => sqlText(rowId(id))).join(', ')})`];
  const parts = [...oneOf('user_id', users), ...oneOf('session_id', sessions)];
  return parts.length === 0 ? '' : ` ${word} ${parts.join(' AND ')}`;
}

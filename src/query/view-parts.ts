/** What the views `v_*` share: what one says of itself, when a question was asked, and conditions on its answer. */
import { isOfShapeSql, type BlockShape } from '../model/block-types.js';
import type { View } from './snapshot.js';

export interface QuestionView extends View {
  /** What it answers; begins with what a row is. */
  readonly describe: string;
  /** DuckDB's type and the meaning of each column, in order. */
  readonly columns: Readonly<Record<string, readonly [type: string, meaning: string]>>;
  /** The tables that it reads. */
  readonly tables: readonly string[];
}

const JOB = ['user_id', 'session_id', 'job_id'] as const;

export function onJob(one: string, other: string): string {
  return JOB.map((column) => `${one}.${column} = ${other}.${column}`).join(' AND ');
}

const IN_SESSION = 'PARTITION BY user_id, session_id';

/**
 * Of jobs whose ids have no time, when their neighbours were asked. A row has the neighbours of when it was written,
 * so that it would depend on the nights of the exports in which week a job counts. A session whose times do not
 * rise tells nothing. Only sessions with such jobs are sorted: a sort of all takes longer than anything else.
 */
const NEIGHBOURS = `SELECT user_id, session_id, job_id, next_at, previous_at
    FROM (
      SELECT *, min(created_at) OVER (${IN_SESSION}) < max(created_at) OVER (${IN_SESSION})
        AND bool_and(coalesce(created_at >= previous_at, true)) OVER (${IN_SESSION}) AS rises
      FROM (
        SELECT user_id, session_id, job_id, created_at,
          last_value(created_at IGNORE NULLS) OVER (${IN_SESSION} ORDER BY job_index ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING) AS previous_at,
          first_value(created_at IGNORE NULLS) OVER (${IN_SESSION} ORDER BY job_index ROWS BETWEEN 1 FOLLOWING AND UNBOUNDED FOLLOWING) AS next_at
        FROM current_jobs
        SEMI JOIN (FROM jobs WHERE created_at IS NULL) AS undated USING (user_id, session_id)
      )
    )
    WHERE created_at IS NULL AND rises`;

/**
 * A job whose id has no time counts at its upper bound, else at its lower bound; without bounds its time is null. All
 * times are UTC.
 */
export const ASKED = `SELECT dated.*, coalesce(dated.created_at, beside.next_at, dated.created_before, beside.previous_at, dated.created_after) AT TIME ZONE 'UTC' AS asked_at
  FROM current_jobs AS dated
  LEFT JOIN (
    ${NEIGHBOURS}
  ) AS beside ON ${onJob('beside', 'dated')}`;

/** What `ASKED` does. */
export const LATEST =
  'days are those of UTC; a question whose id tells no time counts at the latest time possible, and as the last of a conversation right after the one before';
export const OF_UNKNOWN = `${LATEST}, one of unknown time in a row without a date`;

/** Whether an answer has a block of a shape. */
export function hasBlock(shape: BlockShape): string {
  return `EXISTS (FROM current_blocks AS b WHERE ${onJob('b', 'j')} AND b.role = 'answer' AND ${isOfShapeSql('b.type', shape)})`;
}

/** What a column of a source was in the answer that used it last. */
export function atLastUse(column: string): string {
  return `last(${column} ORDER BY asked_at NULLS FIRST, user_id, session_id, job_id, ${column}) AS ${column}`;
}

export function hasFile(condition: string): string {
  return `EXISTS (FROM current_artifacts AS a WHERE ${onJob('a', 'j')} AND ${condition})`;
}

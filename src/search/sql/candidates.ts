/** The jobs in scope: whether the period has each, and which of the words are in it. */
import { sqlText } from '../../query/sql-text.js';
import type { BoundedJob } from '../bounded-jobs.js';
import { DAY_MICROS } from '../../model/times/timestamp.js';
import { bitOfField } from '../search-fields.js';
import {
  JOB_VERSION_KEY,
  JOB_KEY,
  restriction,
  SESSION_KEY,
  type SearchStatement,
} from './search-statement.js';

export const IS_WITHIN = "verdict = 'within'";
export const IN_OR_UNKNOWN = "verdict IN ('within', 'unknown')";

/** A bound of days is stored as the end of one, of which nothing is later than what was asked on it. */
const BEGIN_OF_DAY = `epoch_us(created_before) // ${DAY_MICROS} * ${DAY_MICROS}`;

/** As the report sorts: by the time, or the later of its bounds, or the earlier one; what is after a time is newer. */
function orderColumns({ isOfDays }: Pick<SearchStatement, 'isOfDays'>): string {
  const latest = `coalesce(latest, ${isOfDays === true ? BEGIN_OF_DAY : 'epoch_us(created_before)'})`;
  return `coalesce(epoch_us(created_at), ${latest}, epoch_us(created_after)) AS asked,
    CASE WHEN created_at IS NOT NULL THEN 1 WHEN ${latest} IS NULL THEN 0 ELSE 2 END AS reach`;
}

export function candidatesSelect({ from, to, ...search }: SearchStatement, wanted: bigint): string {
  const within = [
    ...(from === undefined ? [] : [`epoch_us(created_at) >= ${from}`]),
    ...(to === undefined ? [] : [`epoch_us(created_at) < ${to}`]),
  ];
  const verdict =
    within.length === 0
      ? "'within'"
      : `CASE WHEN created_at IS NULL THEN coalesce(verdict, 'unknown')
      WHEN ${within.join(' AND ')} THEN 'within' ELSE 'outside' END`;
  return `SELECT ${JOB_VERSION_KEY}, created_at, created_after, created_before, latest, ${orderColumns(search)},
    ${verdict} AS verdict, coalesce(mask, 0) | coalesce(name_mask, 0) AS mask, rank, tables,
    coalesce(places, 0) | CASE WHEN coalesce(name_mask, 0) & ${wanted} <> 0 THEN ${bitOfField('name')} ELSE 0 END AS places
  FROM current_jobs LEFT JOIN found USING (${JOB_VERSION_KEY}) LEFT JOIN named USING (${SESSION_KEY})
    LEFT JOIN bounded USING (${JOB_KEY})${restriction(search, 'WHERE')}`;
}

export function boundedSelect(bounded: readonly BoundedJob[]): string {
  const columns = `${JOB_KEY}, verdict, latest`;
  const rows = bounded.map(
    ({ user, session, job, verdict, latest }) =>
      `(${[user, session, job, verdict].map(sqlText).join(', ')}, ${latest ?? 'NULL::BIGINT'})`,
  );
  return rows.length > 0
    ? `SELECT * FROM (VALUES ${rows.join(',\n    ')}) AS of(${columns})`
    : `SELECT ${JOB_KEY}, NULL::VARCHAR AS verdict, NULL::BIGINT AS latest FROM jobs WHERE false`;
}

/** Finds the tables that a query can read, so that no other file of a bucket is downloaded. */
import { QUESTION_VIEWS } from './question-views.js';
import { TABLE_NAMES } from '../model/tables.js';

/** An escaped name can be any table. */
const INDIRECT = /\bu&"/i;

/** May include too many: every name that occurs in the text counts. */
export function neededTables(sql: string): ReadonlySet<string> {
  if (INDIRECT.test(sql)) return new Set(TABLE_NAMES);
  const text = sql.toLowerCase();
  const ofViews = QUESTION_VIEWS.filter(({ name }) => text.includes(name)).flatMap(
    ({ tables }) => tables,
  );
  const named = [...TABLE_NAMES.filter((table) => text.includes(table)), ...ofViews];
  // current_* views read the newest versions from jobs
  const isOfJobs = named.length > 0 && text.includes('current_');
  return new Set(isOfJobs ? [...named, 'jobs'] : named);
}

/** Whether the SQL can read `open_jobs`, for which the states of many users are read. */
export function needsOpenJobs(sql: string): boolean {
  return INDIRECT.test(sql) || /v_failures|open_jobs/i.test(sql);
}

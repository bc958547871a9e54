/** Which tables a query may read: so that of an archive in a store nothing else has to be brought here. */
import { TABLE_NAMES } from '../model/tables.js';

/** A name in escapes can be that of any table. */
const INDIRECT = /\bu&"/i;

/** Rather one too many: a name that stands anywhere in the text counts. */
export function neededTables(sql: string): ReadonlySet<string> {
  if (INDIRECT.test(sql)) return new Set(TABLE_NAMES);
  const text = sql.toLowerCase();
  const named = TABLE_NAMES.filter((table) => text.includes(table));
  // what is current of a job is told by jobs
  const isOfJobs = named.length > 0 && text.includes('current_');
  return new Set(isOfJobs ? [...named, 'jobs'] : named);
}

/** Finds the tables and views that a query can read, so that no other file of a bucket is downloaded. */
import { TABLE_NAMES } from '../model/tables.js';
import { viewsOver } from './archive-views.js';
import type { View } from './table-views.js';

/** Views over no archive: what matters is which of them names which. */
const ALL: readonly View[] = viewsOver([]);

/** An escaped name can be any table. */
const INDIRECT = /\bu&"/i;

/**
 * Words of SQL that reads the catalog, and escapes, behind which any word may stand. DESC alone is a statement, behind
 * an expression it is an order.
 */
const LISTING =
  /\b(?:show|describe|information_schema|duckdb_|pg_|pragma_|sqlite_)|(?:^|[\n(;]|\*\/)\s*desc\b|\bu&"/i;

/** Whether the SQL may read which views there are; in doubt true. */
export function mayListViews(sql: string): boolean {
  return LISTING.test(sql);
}

/** The views whose names occur in the SQL, or in one of these; may include too many. */
export function namedViews(views: readonly View[], sql: string): View[] {
  const words = new Set(wordsIn(sql));
  const isNamed = ({ name, select }: View): boolean => {
    if (!words.has(name)) return false;
    for (const word of wordsIn(select)) words.add(word);
    return true;
  };
  // a view names only earlier ones
  return views.toReversed().filter(isNamed).reverse();
}

function wordsIn(sql: string): string[] {
  return sql.toLowerCase().match(/\w+/g) ?? [];
}

/** The tables with rows that the SQL can read. */
export function neededTables(sql: string): ReadonlySet<string> {
  if (INDIRECT.test(sql)) return new Set(TABLE_NAMES);
  const named = new Set(namedViews(ALL, sql).map(({ name }) => name));
  return new Set(TABLE_NAMES.filter((table) => named.has(table)));
}

/** Whether the SQL can read `open_jobs`, for which the states of many users are read. */
export function needsOpenJobs(sql: string): boolean {
  return INDIRECT.test(sql) || namedViews(ALL, sql).some(({ name }) => name === 'open_jobs');
}

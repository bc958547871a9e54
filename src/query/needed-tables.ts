/** Finds the tables and views that a query can read, so that no other file of a bucket is downloaded. */
import { viewsOver } from './views/archive-views.js';
import type { View } from './views/table-views.js';

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

/** The views whose names occur in the SQL, also as a word of another meaning, and those that these read. */
export function namedViews(views: readonly View[], sql: string): View[] {
  const words = new Set(sql.toLowerCase().match(/\w+/g));
  const isNamed = ({ name, select }: View): boolean => {
    if (!words.has(name)) return false;
    for (const [, read = ''] of select.matchAll(READ)) words.add(read);
    return true;
  };
  // a view names only earlier ones
  return views.toReversed().filter(isNamed).reverse();
}

/** What the SQL of a view reads. */
const READ = /\b(?:FROM|JOIN)\s+"?(\w+)/g;

/** The tables and views that the SQL can read; may include too many. */
export function namesIn(sql: string): ReadonlySet<string> {
  const views = INDIRECT.test(sql) ? ALL : namedViews(ALL, sql);
  return new Set(views.map(({ name }) => name));
}

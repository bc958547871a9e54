/** Makes a view over rows that stand in its SQL: what the log knows, and no file of the archive has. */
import { sqlName } from '../sql-text.js';
import type { View } from './table-views.js';

/** DuckDB's types by name, in order. */
export type ValuesColumns = Readonly<Record<string, string>>;

/** @param rows cells as SQL, in the order of the columns */
export function valuesView(
  name: string,
  columns: ValuesColumns,
  rows: readonly (readonly string[])[],
): View {
  const none = Object.values(columns).map((type) => `NULL::${type}`);
  const listed = (rows.length > 0 ? rows : [none]).map((row) => `(${row.join(', ')})`);
  // the types of a column are those of its cells: of numbers the smallest that holds them
  const typed = Object.entries(columns).map(
    ([column, type]) => `CAST(${sqlName(column)} AS ${type}) AS ${sqlName(column)}`,
  );
  const names = Object.keys(columns).map(sqlName).join(', ');
  const values = `SELECT ${typed.join(', ')}\nFROM (VALUES\n  ${listed.join(',\n  ')}\n) AS of(${names})`;
  return { name, select: rows.length > 0 ? values : `${values}\nWHERE false` };
}

/** The last step before rows are archived: removes the secrets of URLs and text that is not valid Unicode. */
import type { Row, TableSchema, CellValue } from '../model/table-schema.js';
import { type Rows, LazyRows } from './job-rows.js';
import { archivableText, textColumns } from '../model/mask-secrets.js';

/** More rows than this are made twice, to count and to write them, and are never in memory at once. */
const MOST_IN_MEMORY = 1000;

/**
 * Masks the secrets of URLs, and replaces lone surrogates by U+FFFD, and counts them, in every text of the
 * rows. `raw_jobs` keeps both: its record is verbatim, and in JSON a lone surrogate is an escape.
 *
 * @param files addresses of files whose URLs the rows may have
 */
export function archivableRows<R extends Row>(
  table: TableSchema,
  rows: Rows<R>,
  files?: ReadonlySet<string>,
): {
  readonly rows: Rows<R>;
  readonly altered: number;
} {
  let altered = 0;
  const columns = textColumns(table);
  const archivable = (row: R): R => {
    let changed: Record<string, CellValue> | undefined;
    for (const column of columns) {
      const cell = row[column.name];
      if (typeof cell !== 'string') continue;
      const masked = archivableText(column, cell, files);
      const text = masked.toWellFormed();
      if (text !== masked) altered++;
      if (text !== cell) changed = { ...changed, [column.name]: text };
    }
    return changed ? { ...row, ...changed } : row;
  };
  if (rows.length <= MOST_IN_MEMORY) {
    const made = Array.from(rows, archivable);
    return { rows: made, altered };
  }
  for (const row of rows) archivable(row);
  return { rows: new LazyRows(rows.length, () => rows, archivable), altered };
}

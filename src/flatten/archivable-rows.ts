/** The last step before rows are archived: no live signature, and no text that UTF-8 cannot hold. */
import { archivableRow } from '../model/mask-secrets.js';
import type { Row, TableSchema } from '../model/table-schema.js';

/**
 * Masks URL signatures, and replaces lone surrogates by U+FFFD, which is counted, in every text of the
 * rows. `raw_jobs` keeps both: the record is verbatim, and in JSON a lone surrogate is an escape.
 */
export function archivableRows<R extends Row>(
  table: TableSchema,
  rows: readonly R[],
): {
  readonly rows: readonly R[];
  readonly altered: number;
} {
  let altered = 0;
  const mended = rows.map((unmasked) => {
    const row = archivableRow(table, unmasked);
    const broken = Object.entries(row).filter(
      (cell): cell is [string, string] => typeof cell[1] === 'string' && !cell[1].isWellFormed(),
    );
    if (broken.length === 0) return row;
    altered += broken.length;
    return {
      ...row,
      ...Object.fromEntries(broken.map(([name, text]) => [name, text.toWellFormed()])),
    };
  });
  return { rows: mended, altered };
}

/** UTF-8 cannot hold a lone surrogate: such text is mended, and the mending is counted. */
import type { Row } from '../model/table-schema.js';

/** Replaces lone surrogates by U+FFFD in every text of the rows; `raw_jobs` keeps them as JSON escapes. */
export function makeWellFormed<R extends Row>(
  rows: readonly R[],
): {
  readonly rows: readonly R[];
  readonly altered: number;
} {
  let altered = 0;
  const mended = rows.map((row) => {
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

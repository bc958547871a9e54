/** What a pack's files tell of rows: times as ISO 8601. */
import { blockTypeOf, shapeOf } from '../model/block-types.js';
import type { AskedTimes } from '../model/asked-times.js';
import { textIn } from '../model/mask-secrets.js';
import type { Row } from '../model/table-schema.js';
import { formatTimestamp } from '../model/timestamp.js';

/** The cells of `items.csv` that say where a row stands in the archive. @param row one of `PackRows` */
export function originCells(row: Row | undefined) {
  return {
    exported_at: timeIn(row, 'exported_at'),
    archive_path: row ? textIn(row, 'archive_path') : null,
    commit: row ? numberIn(row, 'commit') : null,
  };
}

/** @param job a row of the table `jobs` */
export function askedTimes(job: Row): AskedTimes {
  return {
    createdAt: timeIn(job, 'created_at'),
    createdAfter: timeIn(job, 'created_after'),
    createdBefore: timeIn(job, 'created_before'),
  };
}

export function timeIn(row: Row | undefined, column: string): string | null {
  const value = row?.[column];
  return typeof value === 'bigint' ? formatTimestamp(value) : null;
}

/** 0 where the row has none. */
export function numberIn(row: Row, column: string): number {
  return Number(row[column] ?? 0);
}

/** @param row of the table `blocks` */
export function isCode(row: Row): boolean {
  return shapeOf(blockTypeOf(row['type'])) === 'code';
}

/** What a pack's files tell of rows: times as ISO 8601. */
import { blockTypeOf, shapeOf } from '../model/blocks/block-types.js';
import { timeIn } from '../model/times/asked-times.js';
import { textIn } from '../model/mask-secrets.js';
import type { Row } from '../model/table-schema.js';

/** The cells of `items.csv` that say where a row stands in the archive. @param row one of `PackRows` */
export function originCells(row: Row | undefined) {
  return {
    exported_at: timeIn(row, 'exported_at'),
    archive_path: row ? textIn(row, 'archive_path') : null,
    commit: row ? numberIn(row, 'commit') : null,
  };
}

/** 0 where the row has none. */
export function numberIn(row: Row, column: string): number {
  return Number(row[column] ?? 0);
}

/** @param row of the table `blocks` */
export function isCode(row: Row): boolean {
  return shapeOf(blockTypeOf(row['type'])) === 'code';
}

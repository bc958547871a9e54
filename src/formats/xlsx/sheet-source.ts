/** Rows for a workbook, from something that can be read twice. */
import type { Row, TableSchema } from '../../model/table-schema.js';
import type { SheetSource } from '../format.js';

/**
 * A source that makes its rows again each time they are read: an async generator alone runs only once.
 *
 * @param rows gives the same rows in the same order at every call
 */
export function sheetSource(
  table: TableSchema,
  rows: () => AsyncIterable<readonly Row[]>,
): SheetSource {
  return { table, rows: { [Symbol.asyncIterator]: () => rows()[Symbol.asyncIterator]() } };
}

/** Whether a source would be empty the second time, as generators are. */
export function runsOnce({ rows }: SheetSource): boolean {
  const iterator: unknown = rows[Symbol.asyncIterator]();
  return iterator === rows;
}

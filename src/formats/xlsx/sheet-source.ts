/** Sources of rows for a workbook, which can be read twice. */
import type { SheetSource } from '../format.js';
import type { Row, TableSchema } from '../../model/table-schema.js';
import { SEARCH_COLUMNS } from '../../model/tables.js';

/**
 * A source that calls `rows` for each read: an async generator alone can be read only once. A sheet has no column that
 * is there for searches alone.
 *
 * @param rows returns the same rows in the same order at every call
 */
export function sheetSource(
  table: TableSchema,
  rows: () => AsyncIterable<readonly Row[]>,
): SheetSource {
  const columns = table.columns.filter(({ name }) => !SEARCH_COLUMNS.includes(name));
  return {
    table: { ...table, columns },
    rows: { [Symbol.asyncIterator]: () => rows()[Symbol.asyncIterator]() },
  };
}

/** Whether a source can be read only once, like a generator. */
export function runsOnce({ rows }: SheetSource): boolean {
  const iterator: unknown = rows[Symbol.asyncIterator]();
  return iterator === rows;
}

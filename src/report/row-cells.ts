/** Cells of a row as the page wants them. */
import type { Row } from '../model/table-schema.js';

export function numberIn(row: Row | undefined, column: string): number | null {
  const value = row?.[column];
  return value === null || value === undefined || typeof value === 'boolean' ? null : Number(value);
}

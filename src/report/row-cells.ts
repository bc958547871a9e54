/** Cells of a row as the page wants them. */
import type { Row } from '../model/table-schema.js';
import { type When } from './when.js';

export function numberIn(row: Row | undefined, column: string): number | null {
  const value = row?.[column];
  return value === null || value === undefined || typeof value === 'boolean' ? null : Number(value);
}

/** Milliseconds since 1970. */
export function timeIn(row: Row | undefined, column: string): number | null {
  const value = row?.[column];
  return typeof value === 'bigint' ? Number(value / 1000n) : null;
}

/** When a job was asked, with its bounds where its id has no timestamp. */
export function whenOf(job: Row): When {
  const at = timeIn(job, 'created_at');
  if (at !== null) return at;
  const bounds = [timeIn(job, 'created_after'), timeIn(job, 'created_before')] as const;
  return bounds[0] === null && bounds[1] === null ? null : bounds;
}

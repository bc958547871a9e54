/** When a job was asked: ISO 8601, always in the same form. */
import type { Row } from '../table-schema.js';
import { boundsText, formatTimestamp } from './timestamp.js';

export interface AskedTimes {
  /** As its id tells; null where it tells none. */
  readonly createdAt: string | null;
  /** As its neighbours in the history tell; null where none does. Equal to the time where the id tells. */
  readonly createdAfter: string | null;
  readonly createdBefore: string | null;
}

/** @param job a row of the table `jobs` */
export function askedTimes(job: Row): AskedTimes {
  return {
    createdAt: timeIn(job, 'created_at'),
    createdAfter: timeIn(job, 'created_after'),
    createdBefore: timeIn(job, 'created_before'),
  };
}

/** The time, or the bounds that its neighbours in the history give. @param textOf of a time in ISO 8601 */
export function askedText(
  { createdAt, createdAfter, createdBefore }: AskedTimes,
  textOf: (at: string) => string,
): string {
  if (createdAt !== null) return textOf(createdAt);
  return boundsText(createdAfter, createdBefore, textOf) ?? 'time unknown';
}

/** A time of a row in ISO 8601. */
export function timeIn(row: Row | undefined, column: string): string | null {
  const value = row?.[column];
  return typeof value === 'bigint' ? formatTimestamp(value) : null;
}

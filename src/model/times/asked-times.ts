/** When a job was asked, in the columns of the table `jobs`: ISO 8601, always in the same form; the day of what knows no time of day. */
import type { Row } from '../table-schema.js';
import { boundsText, knownTime } from './timestamp.js';
import type { When } from './when.js';

export interface AskedTimes {
  /** As its id tells; null where it tells none. */
  readonly created_at: string | null;
  /** As its neighbours in the history tell; null where none does. Equal to the time where the id tells. */
  readonly created_after: string | null;
  readonly created_before: string | null;
}

export const UNKNOWN_TIMES: AskedTimes = {
  created_at: null,
  created_after: null,
  created_before: null,
};

/** @param job a row of the table `jobs` @param days columns of which the day alone is known */
export function askedTimes(job: Row, days?: ReadonlySet<string>): AskedTimes {
  return {
    created_at: timeIn(job, 'created_at', days),
    created_after: timeIn(job, 'created_after', days),
    created_before: timeIn(job, 'created_before', days),
  };
}

/** The time, or the bounds that its neighbours in the history give. @param textOf of a time in ISO 8601 */
export function askedText(
  { created_at: at, created_after: after, created_before: before }: AskedTimes,
  textOf: (at: string) => string,
): string {
  if (at !== null) return textOf(at);
  return boundsText(after, before, textOf) ?? 'time unknown';
}

/** A time of a row in ISO 8601, or its day. @param days columns of which the day alone is known */
export function timeIn(
  row: Row | undefined,
  column: string,
  days: ReadonlySet<string> = NONE,
): string | null {
  const value = row?.[column];
  return typeof value === 'bigint' ? knownTime(value, days.has(column)) : null;
}

const NONE: ReadonlySet<string> = new Set();

/** When a job was asked. @param job a row of the table `jobs` */
export function whenOf(job: Row): When {
  const at = msIn(job, 'created_at');
  if (at !== null) return at;
  const bounds = [msIn(job, 'created_after'), msIn(job, 'created_before')] as const;
  return bounds[0] === null && bounds[1] === null ? null : bounds;
}

/** A time of a row in milliseconds since 1970. */
export function msIn(row: Row | undefined, column: string): number | null {
  const value = row?.[column];
  return typeof value === 'bigint' ? Number(value / 1000n) : null;
}

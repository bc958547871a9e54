/** How long to wait before another try: as the host asks, or else at random up to a growing cap. */
import type { Random } from '../base/random.js';

const BASE_MS = 500;
const CAP_MS = 30_000;

/** Full jitter: uniform between 0 and `500 ms × 2^failures`, at most 30 s. @param failures from 1 */
export function backoffMs(failures: number, random: Random): number {
  return random.fraction() * Math.min(CAP_MS, BASE_MS * 2 ** failures);
}

/**
 * Milliseconds that a `Retry-After` header asks for, or null where it says nothing usable. A date in the
 * past is 0.
 *
 * @param nowMs what its date is held against: the answer's own `Date` where it has one
 */
export function retryAfterMs(header: string | undefined, nowMs: number): number | null {
  const text = header?.trim() ?? '';
  if (/^\d{1,9}$/.test(text)) return Number(text) * 1000;
  // Date.parse takes many things for a date ("-5", "soon 1"): an HTTP date begins with a weekday.
  const dateMs = /^(Mon|Tue|Wed|Thu|Fri|Sat|Sun)/.test(text) ? Date.parse(text) : NaN;
  return Number.isNaN(dateMs) ? null : Math.max(0, dateMs - nowMs);
}

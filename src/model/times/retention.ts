/** Parses how long something must be kept: a duration (`7y`, `30d`), or until the end of a day, month or year (`2033-12`). */
import { parseDuration } from '../../base/units.js';
import { parseTo } from './period.js';

export type Retention = { readonly forMs: number } | { readonly untilMs: number };

/** A thousand years, far below the limit of `Date`. */
const MAX_MS = 365_250 * 86_400_000;

/** Undefined if the text is neither, or the duration is zero. Days are in UTC. */
export function parseRetention(text: string): Retention | undefined {
  const trimmed = text.trim();
  const forMs = parseDuration(trimmed);
  if (forMs !== undefined) return forMs > 0 && forMs <= MAX_MS ? { forMs } : undefined;
  // not a time: that would be the first moment at which nothing is kept
  const end = /^\d{4}(?:-\d{2}){0,2}$/.test(trimmed) ? parseTo(trimmed) : undefined;
  return end === undefined ? undefined : { untilMs: Number(end / 1_000_000n) * 1000 - 1000 };
}

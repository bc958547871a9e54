/** Parses how long something must be kept: a duration (`7y`, `30d`), or until the end of a day (`2033-12-31`). */
import { parseDuration } from '../base/duration.js';

export type Retention = { readonly forMs: number } | { readonly untilMs: number };

/** A thousand years, far below the limit of `Date`. */
const MAX_MS = 365_250 * 86_400_000;

/** Undefined if the text is neither, or the duration is zero. Days are in UTC. */
export function parseRetention(text: string): Retention | undefined {
  const trimmed = text.trim();
  const forMs = parseDuration(trimmed);
  if (forMs !== undefined) return forMs > 0 && forMs <= MAX_MS ? { forMs } : undefined;
  if (!/^\d{4}-\d{2}-\d{2}$/.test(trimmed)) return undefined;
  const end = new Date(`${trimmed}T23:59:59.000Z`);
  // `Date` accepts 31 February as 3 March
  const isDay = !Number.isNaN(end.getTime()) && end.toISOString().startsWith(trimmed);
  return isDay ? { untilMs: end.getTime() } : undefined;
}

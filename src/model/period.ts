/** Parses the limits of a period: `2026`, `2026-03`, `2026-03-31`, or an ISO 8601 time. UTC. */
import { parseTimestamp } from './timestamp.js';

export const PERIOD_TEXTS =
  'a year, month, day or time (UTC) such as 2026, 2026-03, 2026-03-31 or 2026-03-31T08:00:00Z';

const DAYS = /^(\d{4})(?:-(\d{2}))?(?:-(\d{2}))?$/;

/** The beginning in microseconds, inclusive; undefined if the text is invalid. */
export function parseFrom(text: string): bigint | undefined {
  const days = DAYS.exec(text.trim());
  return days ? beginOf(days) : parseTimestamp(text);
}

/** The end in microseconds, exclusive: a day is included as a whole, a time is not. */
export function parseTo(text: string): bigint | undefined {
  const days = DAYS.exec(text.trim());
  if (!days) return parseTimestamp(text);
  if (beginOf(days) === undefined) return undefined;
  const [, year, month, day] = days.map(Number);
  const next = day
    ? [year, (month ?? 1) - 1, day + 1]
    : month
      ? [year, month, 1]
      : [(year ?? 0) + 1, 0, 1];
  return BigInt(Date.UTC(...(next as [number, number, number]))) * 1000n;
}

/** Undefined for a day that does not exist, such as 31 February. */
function beginOf([, year = '', month = '01', day = '01']: RegExpExecArray): bigint | undefined {
  return parseTimestamp(`${year}-${month}-${day}T00:00:00Z`);
}

/** The days of a period as people write them: `2026`, `2026-03`, `2026-03-31`, or a time as ISO 8601 has it. UTC. */
import { parseTimestamp } from './timestamp.js';

export const PERIOD_TEXTS =
  'a year, month, day or time (UTC) such as 2026, 2026-03, 2026-03-31 or 2026-03-31T08:00:00Z';

const DAYS = /^(\d{4})(?:-(\d{2}))?(?:-(\d{2}))?$/;

/** Microseconds of its beginning, which is in the period; undefined where the text is no day. */
export function parseFrom(text: string): bigint | undefined {
  const days = DAYS.exec(text.trim());
  return days ? beginOf(days) : parseTimestamp(text);
}

/** Microseconds of its end, which is not in the period: a day is in it as a whole, of a time what comes before. */
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

/** There is no 31st of February. */
function beginOf([, year = '', month = '01', day = '01']: RegExpExecArray): bigint | undefined {
  return parseTimestamp(`${year}-${month}-${day}T00:00:00Z`);
}

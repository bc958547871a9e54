/** Parses the limits of a period: `2026`, `2026-03`, `2026-03-31`, or an ISO 8601 time, or relative to now. UTC. */
import { parseDuration } from '../../base/units.js';
import { dayOf, parseTimestamp } from './timestamp.js';

const PERIOD_TEXTS =
  'a year, month, day or time (UTC) such as 2026, 2026-03, 2026-03-31 or 2026-03-31T08:00Z';

const RELATIVE_PERIOD_TEXTS =
  'today, yesterday, this-month, last-month, this-year, last-year, or so long ago, such as 30d or 12h';

export const PERIOD_LIMITS = `${PERIOD_TEXTS}; ${RELATIVE_PERIOD_TEXTS}`;

const DAYS = /^(\d{4})(?:-(\d{2}))?(?:-(\d{2}))?$/;

/** As outputs print times: without seconds, and with UTC as a word. */
const MINUTES = /^(\d{4}-\d{2}-\d{2}[T ]\d{2}:\d{2})(?: UTC)?(?=$|Z|[+-])/i;

function timeOf(text: string): bigint | undefined {
  return parseTimestamp(text.trim().replace(MINUTES, '$1:00'));
}

/** The beginning in microseconds, inclusive; undefined if the text is invalid. */
export function parseFrom(text: string): bigint | undefined {
  const days = DAYS.exec(text.trim());
  return days ? beginOf(days) : timeOf(text);
}

/** The end in microseconds, exclusive: a day is included as a whole, a time is not. */
export function parseTo(text: string): bigint | undefined {
  const days = DAYS.exec(text.trim());
  if (!days) return timeOf(text);
  if (beginOf(days) === undefined) return undefined;
  const [, year, month, day] = days.map(Number);
  const next = day
    ? [year, (month ?? 1) - 1, day + 1]
    : month
      ? [year, month, 1]
      : [(year ?? 0) + 1, 0, 1];
  return BigInt(Date.UTC(...(next as [number, number, number]))) * 1000n;
}

/**
 * A limit as a year, month, day or time: what is relative (`yesterday`, `last-month`, `30d`) becomes one, all else
 * stays as it is. A number of days or years ago is a day, a number of hours ago is a time.
 *
 * @param nowMs milliseconds since 1970 UTC
 */
export function absolutePeriodText(text: string, nowMs: number): string {
  const word = text.trim();
  const today = new Date(nowMs);
  const [year, month] = [today.getUTCFullYear(), today.getUTCMonth()];
  switch (word) {
    case 'today':
      return dayOf(nowMs);
    case 'yesterday':
      return dayOf(nowMs - DAY_MS);
    case 'this-month':
      return monthText(year, month);
    case 'last-month':
      return monthText(year, month - 1);
    case 'this-year':
      return String(year);
    case 'last-year':
      return String(year - 1);
  }
  const [, unit] = /^[1-9]\d{0,4}([hdy])$/.exec(word) ?? [];
  const then = new Date(nowMs - (parseDuration(word) ?? 0));
  if (unit === undefined || !(then.getTime() >= EARLIEST_MS)) return text;
  return unit === 'h' ? `${then.toISOString().slice(0, 19)}Z` : dayOf(then.getTime());
}

/** Such limits as they mean the same tomorrow: what is made of a search, and the log, say which they were. */
export function absolutePeriod<T extends { readonly from?: Limit; readonly to?: Limit }>(
  limits: T,
  nowMs: number,
): T {
  const absolute = (limit: Limit): Limit => limit && absolutePeriodText(limit, nowMs);
  return { ...limits, from: absolute(limits.from), to: absolute(limits.to) };
}

type Limit = string | undefined;

const DAY_MS = 86_400_000;
/** Years of four digits. */
const EARLIEST_MS = Date.UTC(1970, 0, 1);

function monthText(year: number, month: number): string {
  return dayOf(Date.UTC(year, month, 1)).slice(0, 7);
}

/** Undefined for a day that does not exist, such as 31 February. */
function beginOf([, year = '', month = '01', day = '01']: RegExpExecArray): bigint | undefined {
  return parseTimestamp(`${year}-${month}-${day}T00:00:00Z`);
}

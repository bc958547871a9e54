/** Parses the limits of a period: `2026`, `2026-03`, `2026-03-31`, or an ISO 8601 time, or relative to now. UTC. */
import { parseDuration } from '../base/units.js';
import { parseTimestamp } from './created-at.js';

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
      return dayText(nowMs);
    case 'yesterday':
      return dayText(nowMs - DAY_MS);
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
  return unit === 'h' ? `${then.toISOString().slice(0, 19)}Z` : dayText(then.getTime());
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

function dayText(ms: number): string {
  return new Date(ms).toISOString().slice(0, 10);
}

function monthText(year: number, month: number): string {
  return dayText(Date.UTC(year, month, 1)).slice(0, 7);
}

/** Undefined for a day that does not exist, such as 31 February. */
function beginOf([, year = '', month = '01', day = '01']: RegExpExecArray): bigint | undefined {
  return parseTimestamp(`${year}-${month}-${day}T00:00:00Z`);
}

/**
 * Bounds for the time at which a job was asked, if its id contains no time: the times of its neighbours in the
 * history. A history whose times contradict its order gives no bounds.
 */

/** In microseconds since 1970 UTC; null without a bound. Both are equal if the time is known. */
export interface TimeBounds {
  readonly after: bigint | null;
  readonly before: bigint | null;
}

export type HistoryOrder = 'oldest-first' | 'newest-first';

type Time = bigint | null;

export const NO_BOUNDS: TimeBounds = { after: null, before: null };

/**
 * The order of a history; undefined if no two times differ, or some rise and some fall.
 *
 * @param times of its jobs in the service's order; null for an id without a time
 */
export function orderOf(times: readonly Time[]): HistoryOrder | undefined {
  const known = times.filter((time) => time !== null);
  let rises = false;
  let falls = false;
  for (const [index, time] of known.entries()) {
    const before = known[index - 1] ?? time;
    rises ||= time > before;
    falls ||= time < before;
  }
  if (rises === falls) return undefined;
  return rises ? 'oldest-first' : 'newest-first';
}

/**
 * Bounds for each job, in the order given.
 *
 * @param times of the jobs of one session in the service's order; null for an id without a time
 * @param order the order of the history, if it is known from elsewhere
 */
export function timeBounds(times: readonly Time[], order = orderOf(times)): TimeBounds[] {
  const known = orderOf(times);
  const contradicts = known === undefined ? areContradictory(times) : known !== order;
  const usable = contradicts ? undefined : order;
  const forwards = usable && nearest(times);
  const backwards = usable && nearest(times.toReversed()).reverse();
  const [older, newer] = usable === 'oldest-first' ? [forwards, backwards] : [backwards, forwards];
  return times.map((time, index) => ({
    after: time ?? older?.[index] ?? null,
    before: time ?? newer?.[index] ?? null,
  }));
}

export interface Period {
  /** Microseconds since 1970 UTC, inclusive. */
  readonly from?: bigint | undefined;
  /** Exclusive. */
  readonly to?: bigint | undefined;
}

/** Whether a job was asked within the period; `unknown` where its bounds allow both. */
export function classifyByPeriod(
  { after, before }: TimeBounds,
  { from, to }: Period,
): 'within' | 'outside' | 'unknown' {
  if (from !== undefined && before !== null && before < from) return 'outside';
  if (to !== undefined && after !== null && after >= to) return 'outside';
  const isLateEnough = from === undefined || (after !== null && after >= from);
  const isEarlyEnough = to === undefined || (before !== null && before < to);
  return isLateEnough && isEarlyEnough ? 'within' : 'unknown';
}

/** For each position, the last known time up to it. */
function nearest(times: readonly Time[]): Time[] {
  let last: Time = null;
  return times.map((time) => (last = time ?? last));
}

function areContradictory(times: readonly Time[]): boolean {
  return new Set(times.filter((time) => time !== null)).size > 1;
}

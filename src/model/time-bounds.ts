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

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

/** A job of a conversation, which stands where its number says. */
export interface NumberedJob {
  readonly id: string;
  readonly number: number;
  /** As its id tells; null of one without a time. */
  readonly time: bigint | null;
}

/**
 * Bounds of each job as the jobs beside it tell, where their times show the order of the conversation: two at least
 * differ, all rise with the numbers, no number is there twice, and the jobs are not listed by id, which says nothing of
 * ids without a time. Where all times are one, what stands between two is of that time, whichever way the conversation
 * runs. The view `v_questions` has the same rule. Rows of a pseudonymised copy have these bounds of its archive.
 *
 * @param jobs of one conversation, by number
 */
export function boundsBeside(jobs: readonly NumberedJob[]): TimeBounds[] {
  const times = jobs.map(({ time }) => time);
  const ids = jobs.map(({ id }) => id);
  const isPlaced = isOneOrder(jobs) && !areSorted(ids);
  if (isPlaced && orderOf(times) === 'oldest-first') return timeBounds(times);
  const isOfOneTime = new Set(times.filter((time) => time !== null)).size === 1;
  if (isPlaced && isOfOneTime) return timeBounds(times, 'oldest-first').map(onlyBothSides);
  return times.map((time) => ({ after: time, before: time }));
}

function onlyBothSides(bounds: TimeBounds): TimeBounds {
  return bounds.after !== null && bounds.before !== null ? bounds : NO_BOUNDS;
}

/** Whether no number is there twice: then nobody knows which jobs stand beside which. */
export function isOneOrder(jobs: readonly Pick<NumberedJob, 'number'>[]): boolean {
  return new Set(jobs.map(({ number }) => number)).size === jobs.length;
}

function areSorted(ids: readonly string[]): boolean {
  const rises = ids.slice(1).map((id, at) => id > (ids[at] ?? ''));
  return rises.every(Boolean) || !rises.some(Boolean);
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

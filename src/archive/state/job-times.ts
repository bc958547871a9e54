/** Computes when each job of an archived session was asked, from its id and its neighbours in the history. */
import { type TimeBounds, timeBounds } from '../../model/time-bounds.js';
import type { SessionState } from './user-state.js';
import { timesIn } from '../../model/created-at.js';
import { type JobId } from '../../model/ids.js';

/**
 * Bounds of the time of each job. Every filter of archived jobs by time uses these.
 *
 * @param minTimes how many different times must be in order before neighbours count: a few may be in order by chance
 */
export function jobTimes(
  { jobs }: Pick<SessionState, 'jobs'>,
  minTimes = 2,
): ReadonlyMap<JobId, TimeBounds> {
  const ids = [...jobs.keys()];
  const times = timesIn(ids).times.map((time) => time?.micros ?? null);
  return jobTimesBeside({ jobs }, times, areSorted(ids), minTimes);
}

/**
 * The same, of times that are known otherwise, as in a pseudonymised copy.
 *
 * @param times of the jobs, in their order; null of one without
 * @param isById whether the history is listed by id, or may be: then its order says nothing
 */
export function jobTimesBeside(
  { jobs }: Pick<SessionState, 'jobs'>,
  times: readonly (bigint | null)[],
  isById: boolean,
  minTimes = 2,
): ReadonlyMap<JobId, TimeBounds> {
  const ids = [...jobs.keys()];
  const distinct = new Set(times.filter((time) => time !== null)).size;
  const bounds =
    distinct >= minTimes && isOneOrder(jobs) && !isById
      ? timeBounds(times)
      : times.map((time) => ({ after: time, before: time }));
  return new Map(bounds.map((jobBounds, index) => [ids[index] as JobId, jobBounds]));
}

/** Whether no number is there twice: then nobody knows whose neighbours are meant. */
function isOneOrder(jobs: SessionState['jobs']): boolean {
  const numbers = new Set([...jobs.values()].map(({ index }) => index));
  return numbers.size === jobs.size;
}

/** Whether the jobs are listed by id: then the order of times says nothing about ids without a time. */
function areSorted(ids: readonly JobId[]): boolean {
  const rises = ids.slice(1).map((id, at) => id > (ids[at] ?? ''));
  return rises.every(Boolean) || !rises.some(Boolean);
}

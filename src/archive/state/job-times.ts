/** Computes when each job of an archived session was asked, from its id and its neighbours in the history. */
import { createdAtOf } from '../../model/created-at.js';
import type { JobId } from '../../model/ids.js';
import { timeBounds, type TimeBounds } from '../../model/time-bounds.js';
import type { SessionState } from './user-state.js';

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
  const times = ids.map((id) => createdAtOf(id)?.micros ?? null);
  const distinct = new Set(times.filter((time) => time !== null)).size;
  const bounds =
    distinct >= minTimes && isOneOrder(jobs) && !areSorted(ids)
      ? timeBounds(times)
      : times.map((time) => ({ after: time, before: time }));
  return new Map(bounds.map((one, index) => [ids[index] as JobId, one]));
}

/**
 * Whether every number from 0 on occurs once. Otherwise some jobs were counted from the oldest and others from
 * the newest, or some have left the history, and the neighbours are not known.
 */
function isOneOrder(jobs: SessionState['jobs']): boolean {
  return [...jobs.values()].every(({ index }, at) => index === at);
}

/** Whether the jobs are listed by id: then the order of times says nothing about ids without a time. */
function areSorted(ids: readonly JobId[]): boolean {
  const rises = ids.slice(1).map((id, at) => id > (ids[at] ?? ''));
  return rises.every(Boolean) || !rises.some(Boolean);
}

/** When each job of an archived session was asked, as far as its id and its neighbours in the history tell. */
import { createdAtOf } from '../../model/created-at.js';
import type { JobId } from '../../model/ids.js';
import { timeBounds, type TimeBounds } from '../../model/time-bounds.js';
import type { SessionState } from './user-state.js';

/**
 * Everything that filters archived jobs by time uses these.
 *
 * @param leastTold how many different times must be in order before neighbours tell anything: few may be so by chance
 */
export function jobTimes(
  { jobs }: Pick<SessionState, 'jobs'>,
  leastTold = 2,
): ReadonlyMap<JobId, TimeBounds> {
  const ids = [...jobs.keys()];
  const times = ids.map((id) => createdAtOf(id)?.micros ?? null);
  const told = new Set(times.filter((time) => time !== null)).size;
  const bounds =
    told >= leastTold && isOneOrder(jobs) && !areSorted(ids)
      ? timeBounds(times)
      : times.map((time) => ({ after: time, before: time }));
  return new Map(bounds.map((one, index) => [ids[index] as JobId, one]));
}

/**
 * Whether every number from 0 on is there once. Otherwise some jobs were counted from the oldest and others
 * from the newest, or some have left the history: who is whose neighbour is not known then.
 */
function isOneOrder(jobs: SessionState['jobs']): boolean {
  return [...jobs.values()].every(({ index }, at) => index === at);
}

/** A service that lists by id shows the times in their order as well, whatever the ids without a time. */
function areSorted(ids: readonly JobId[]): boolean {
  const rises = ids.slice(1).map((id, at) => id > (ids[at] ?? ''));
  return rises.every(Boolean) || !rises.some(Boolean);
}

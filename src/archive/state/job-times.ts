/** When each job of an archived session was asked, as far as its id and its neighbours in the history tell. */
import { createdAtOf } from '../../model/created-at.js';
import type { JobId } from '../../model/ids.js';
import { timeBounds, type TimeBounds } from '../../model/time-bounds.js';
import type { SessionState } from './user-state.js';

/** Everything that filters archived jobs by time uses these. */
export function jobTimes({ jobs }: Pick<SessionState, 'jobs'>): ReadonlyMap<JobId, TimeBounds> {
  const ids = [...jobs.keys()];
  const bounds = timeBounds(ids.map((id) => createdAtOf(id)?.micros ?? null));
  return new Map(bounds.map((one, index) => [ids[index] as JobId, one]));
}

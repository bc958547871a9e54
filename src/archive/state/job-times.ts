/** Computes when each job of an archived session was asked, from its id and its neighbours in the history. */
import { boundsBeside, type TimeBounds } from '../../model/times/time-bounds.js';
import type { SessionState } from './user-state.js';
import { timesIn } from '../../model/times/created-at.js';
import { type JobId } from '../../model/ids.js';

export interface JobTime extends TimeBounds {
  /** Whether it has a time of its own: that of one without may be exact all the same, where those beside it have one time. */
  readonly isDated: boolean;
}

/**
 * Bounds of the time of each job. Every filter of archived jobs by time uses these.
 *
 * @param minTimes how many different times must be in order before neighbours count: a few may be in order by chance
 */
export function jobTimes(
  { jobs }: Pick<SessionState, 'jobs'>,
  minTimes = 1,
): ReadonlyMap<JobId, JobTime> {
  const times = timesIn([...jobs.keys()]).times.map((time) => time?.micros ?? null);
  const numbered = [...jobs].map(([id, { index }], at) => {
    return { id, number: index, time: times[at] ?? null };
  });
  const distinct = new Set(times.filter((time) => time !== null)).size;
  const bounds =
    distinct >= minTimes
      ? boundsBeside(numbered)
      : numbered.map(({ time }) => ({ after: time, before: time }));
  return new Map(
    [...jobs.keys()].map((id, at) => {
      return [id, { ...(bounds[at] as TimeBounds), isDated: numbered[at]?.time != null }];
    }),
  );
}

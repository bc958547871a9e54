/** The order in which the jobs of a session were asked, as far as the log tells. */
import { timesIn } from '../../model/created-at.js';
import { rowId, type JobId } from '../../model/ids.js';
import type { JobState, SessionState } from './user-state.js';

/** Sorted by the times in their ids if all have one; else in the order of the history, reversed if that is newest first. */
export function jobsOldestFirst({
  jobs,
  growth,
}: Pick<SessionState, 'jobs' | 'growth'>): (readonly [JobId, JobState])[] {
  const entries = [...jobs];
  const { times } = timesIn(entries.map(([id]) => id));
  const timed = entries.flatMap((entry, at) => {
    const micros = times[at]?.micros;
    return micros === undefined ? [] : [{ entry, micros }];
  });
  if (timed.length === entries.length) {
    return timed.sort((a, b) => Number(a.micros - b.micros)).map(({ entry }) => entry);
  }
  const [first, last] = [timed.at(0), timed.at(-1)];
  const isNewestFirst = first && last && first !== last ? first.micros > last.micros : null;
  return (isNewestFirst ?? growth === 'front') ? entries.reverse() : entries;
}

/** The place of each job among all of the session, from 1; by its id as rows have it. */
export function jobPlaces(state: Pick<SessionState, 'jobs' | 'growth'>): Map<string, number> {
  return new Map(jobsOldestFirst(state).map(([job], index) => [rowId(job), index + 1]));
}

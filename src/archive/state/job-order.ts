/** The order in which the jobs of a session were asked, as far as the log tells. */
import type { SessionState, JobState } from './user-state.js';
import { isOrderKnown } from '../../model/times/oldest-first.js';
import { timesIn } from '../../model/times/created-at.js';
import { type JobId, rowId } from '../../model/ids.js';

/** By the times in their ids where all have one; else by number. Both, and ids, decide between equals. */
export function jobsOldestFirst({ jobs }: SessionState): (readonly [JobId, JobState])[] {
  const entries = [...jobs];
  const times = timesIn([...jobs.keys()]).times.map((time) => time?.micros);
  if (times.includes(undefined)) return entries;
  // equal times stay in the order of the state
  const timed = entries.map((entry, at) => ({ entry, micros: times[at] ?? 0n }));
  return timed.sort((a, b) => Number(a.micros - b.micros)).map(({ entry }) => entry);
}

/** Whether these are known to stand as they were asked. @param jobs of a whole conversation, as `jobsOldestFirst` has them */
function isJobOrderKnown(jobs: readonly (readonly [JobId, JobState])[]): boolean {
  const { times } = timesIn(jobs.map(([job]) => job));
  return isOrderKnown(
    jobs.map(([, { index }], at) => {
      return { created_at: times[at]?.micros ?? null, job_index: index };
    }),
  );
}

/** The place of each job among all of the session, from 1; by its id as rows have it. Null where their order is not known. */
export function jobPlaces(state: SessionState): Map<string, number | null> {
  const jobs = jobsOldestFirst(state);
  const isKnown = isJobOrderKnown(jobs);
  return new Map(jobs.map(([job], index) => [rowId(job), isKnown ? index + 1 : null]));
}

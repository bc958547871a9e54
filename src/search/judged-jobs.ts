/** Jobs whose ids tell no time, as far as their neighbours in the history tell whether they are in a period. */
import type { Archive } from '../archive/archive.js';
import { jobTimes } from '../archive/state/job-times.js';
import { judgePeriod, type Period } from '../model/time-bounds.js';

export interface JudgedJob {
  /** Ids as the tables have them: there a lone surrogate is U+FFFD. */
  readonly user: string;
  readonly session: string;
  readonly job: string;
  readonly verdict: 'within' | 'outside';
  /** When it was asked at the latest, in microseconds. */
  readonly latest: bigint | null;
}

/** @param users empty: everybody @throws {IntegrityError} the log is damaged */
export async function judgedJobs(
  archive: Archive,
  users: readonly string[],
  period: Period,
  signal?: AbortSignal,
): Promise<JudgedJob[]> {
  if (period.from === undefined && period.to === undefined) return [];
  await archive.index.refresh();
  const named = new Set(users);
  const judged: JudgedJob[] = [];
  for (const user of archive.index.users) {
    signal?.throwIfAborted();
    if (named.size > 0 && !named.has(user)) continue;
    const { sessions } = await archive.states.load(user);
    for (const [session, state] of sessions) {
      for (const [job, bounds] of jobTimes(state)) {
        const isTold = bounds.after !== null && bounds.after === bounds.before;
        const verdict = judgePeriod(bounds, period);
        if (isTold || verdict === 'unknown') continue;
        judged.push({
          user: user.toWellFormed(),
          session: session.toWellFormed(),
          job: job.toWellFormed(),
          verdict,
          latest: bounds.before,
        });
      }
    }
  }
  return judged;
}

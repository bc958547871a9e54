/** Jobs whose ids tell no time, as far as their neighbours in the history tell whether they are in a period. */
import type { ArchiveView } from '../archive/reading/archive-view.js';
import { jobTimes } from '../archive/state/job-times.js';
import { rowId } from '../model/ids.js';
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

/** @param view what is searched @throws {IntegrityError} the log is damaged */
export async function judgedJobs(view: ArchiveView, period: Period): Promise<JudgedJob[]> {
  if (period.from === undefined && period.to === undefined) return [];
  const judged: JudgedJob[] = [];
  for await (const { user, sessions } of view.users()) {
    for (const { session, state } of sessions) {
      for (const [job, bounds] of jobTimes(state)) {
        const isTold = bounds.after !== null && bounds.after === bounds.before;
        const verdict = judgePeriod(bounds, period);
        if (isTold || verdict === 'unknown') continue;
        judged.push({
          user: rowId(user),
          session: rowId(session),
          job: rowId(job),
          verdict,
          latest: bounds.before,
        });
      }
    }
  }
  return judged;
}

/** Jobs whose ids tell no time, as far as their neighbours in the history tell whether they are in a period. */
import type { ArchiveView } from '../archive/reading/archive-view.js';
import { jobBoundsOf } from '../archive/reading/job-bounds.js';
import { rowId } from '../model/ids.js';
import { classifyByPeriod, type Period } from '../model/times/time-bounds.js';

export interface BoundedJob {
  /** Ids as the tables have them: there a lone surrogate is U+FFFD. */
  readonly user: string;
  readonly session: string;
  readonly job: string;
  readonly verdict: 'within' | 'outside';
  /** When it was asked at the latest, in microseconds. */
  readonly latest: bigint | null;
}

/** @param view what is searched @throws {IntegrityError} the log is damaged */
export async function boundedJobs(view: ArchiveView, period: Period): Promise<BoundedJob[]> {
  if (period.from === undefined && period.to === undefined) return [];
  const bounded: BoundedJob[] = [];
  const boundsOf = await jobBoundsOf(view.archive, view.signal);
  for await (const { user, sessions } of view.users()) {
    for (const { session, state } of sessions) {
      for (const [job, bounds] of boundsOf(user, session, state)) {
        if (bounds.isDated) continue;
        const verdict = classifyByPeriod(bounds, period);
        if (verdict === 'unknown') continue;
        bounded.push({
          user: rowId(user),
          session: rowId(session),
          job: rowId(job),
          verdict,
          latest: bounds.before,
        });
      }
    }
  }
  return bounded;
}

/** Which gaps may be of a period: by when their job was asked, or by the times of their session. */
import type { SessionId, JobId, UserId } from '../../model/ids.js';
import type { Archive } from '../archive.js';
import type { GapEntry } from '../log/commit.js';
import { isDoubted } from '../../model/gap-counts.js';
import type { SessionState } from '../state/user-state.js';
import { timesIn } from '../../model/times/created-at.js';
import {
  classifyByPeriod,
  NO_BOUNDS,
  type Period,
  type TimeBounds,
} from '../../model/times/time-bounds.js';
import { jobBoundsOf } from './job-bounds.js';

/** The gaps of a session that are not outside the period for certain. */
type GapsInPeriod = (
  user: UserId,
  session: SessionId,
  gaps: readonly GapEntry[],
) => Promise<readonly GapEntry[]>;

/**
 * Reads the states of users who have gaps, one at a time.
 *
 * @param archive its index must be up to date
 * @throws {IntegrityError} the log is damaged
 */
export function gapsInPeriod(archive: Archive, period: Period, signal?: AbortSignal): GapsInPeriod {
  const { states, index, identity } = archive;
  let boundsOf: Awaited<ReturnType<typeof jobBoundsOf>> | undefined;
  let last: Awaited<ReturnType<typeof states.loadAsOf>> | undefined;
  return async (user, session, gaps) => {
    signal?.throwIfAborted();
    boundsOf ??= await jobBoundsOf(archive, signal);
    if (last?.user !== user) last = await states.loadAsOf(user, index.through);
    const state = last.sessions.get(session);
    const jobs = state ? boundsOf(user, session, state) : new Map<JobId, TimeBounds>();
    // the ids of a copy are digests
    const timeOf = identity.pseudonymised ? () => NO_BOUNDS : timeOfId;
    const whole = sessionBounds(state, [...jobs.values()], timeOf(session, []));
    const isOfPeriod = (bounds: TimeBounds): boolean =>
      classifyByPeriod(bounds, period) !== 'outside';
    return gaps.filter((gap) => {
      const { job } = gap;
      if (job !== null) return isOfPeriod(jobs.get(job) ?? timeOf(job, [...jobs.keys()]));
      // a doubt is about what is archived
      if (isDoubted(gap) && jobs.size > 0) return [...jobs.values()].some(isOfPeriod);
      return isOfPeriod(whole);
    });
  };
}

/** A history that was not read to its end may lack jobs of any time since its session began. */
function sessionBounds(
  state: SessionState | undefined,
  jobs: readonly TimeBounds[],
  sessionTime: TimeBounds,
): TimeBounds {
  if (!state?.complete || jobs.length === 0) return { after: sessionTime.after, before: null };
  return {
    after: least(jobs.map(({ after }) => after)),
    before: most(jobs.map(({ before }) => before)),
  };
}

function least(times: readonly (bigint | null)[]): bigint | null {
  return times.reduce((a, b) => (a === null || b === null ? null : a < b ? a : b));
}

function most(times: readonly (bigint | null)[]): bigint | null {
  return times.reduce((a, b) => (a === null || b === null ? null : a > b ? a : b));
}

/** @param others whose ids may show that these have the form of one with a time by chance */
function timeOfId(id: string, others: readonly string[]): TimeBounds {
  const micros = timesIn([...others, id]).times.at(-1)?.micros ?? null;
  return { after: micros, before: micros };
}

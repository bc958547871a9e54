/** What the state of an archived session says in short: its counts, and when its newest job was asked. */
import { NO_BOUNDS, type TimeBounds } from '../../model/times/time-bounds.js';
import type { SessionState } from './user-state.js';
import { jobTimes } from './job-times.js';

export interface SessionSummary extends Pick<
  SessionState,
  'version' | 'total' | 'complete' | 'goneAt' | 'gaps' | 'deleted'
> {
  readonly jobs: {
    readonly total: number;
    /** Jobs whose content is not expected to change any more. */
    readonly settled: number;
    /** When the content of the last of the others was first seen; ISO 8601. */
    readonly unsettledSeenAt: string | null;
    /** How many of their files are stored with doubtful content. */
    readonly suspicious: number;
    /** When the newest of those with a known time or bound was asked. */
    readonly newest: TimeBounds;
  };
}

export function summaryOf(state: SessionState): SessionSummary {
  const { version, total, complete, goneAt, gaps, deleted, jobs } = state;
  const all = [...jobs.values()];
  const unsettled = all.filter(({ settled }) => !settled).map(({ seen_at: seenAt }) => seenAt);
  const counts = {
    total: all.length,
    settled: all.length - unsettled.length,
    unsettledSeenAt: unsettled.toSorted().at(-1) ?? null,
    suspicious: all.reduce((sum, { suspicious }) => sum + suspicious, 0),
    newest: newestOf([...jobTimes(state).values()].map(({ after, before }) => ({ after, before }))),
  };
  return { version, total, complete, goneAt, gaps, deleted, jobs: counts };
}

/** Whether the archive has none of its jobs: neither words nor a period choose it, and no list of questions has it. */
export function hasNoQuestion({ jobs }: SessionSummary): boolean {
  return jobs.total === 0;
}

/** The bounds of the newest job; both null if no job has bounds. */
export function newestOf(times: readonly TimeBounds[]): TimeBounds {
  return times.reduce((newest, bounds) => {
    const [place, best] = [placeOf(bounds), placeOf(newest)];
    if (place === null || (best !== null && place < best)) return newest;
    return place !== best || reachOf(bounds) > reachOf(newest) ? bounds : newest;
  }, NO_BOUNDS);
}

/** Orders bounds of the same moment: later than the moment is newer than at the moment, which is newer than before it. */
function reachOf({ after, before }: TimeBounds): number {
  if (before === null) return 2;
  return after === before ? 1 : 0;
}

function placeOf({ after, before }: TimeBounds): bigint | null {
  return before ?? after;
}

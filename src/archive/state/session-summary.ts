/** What the state of an archived session says in short: its counts, when it last changed, the order of its jobs. */
import { NO_BOUNDS, type TimeBounds, timeBounds } from '../../model/period.js';
import type { SessionState, ArchivedSession, LastActivity, JobState } from './user-state.js';
import { createdAtOf, timesIn } from '../../model/created-at.js';
import { type JobId, rowId } from '../../model/ids.js';

export interface SessionSummary extends Pick<
  SessionState,
  'version' | 'total' | 'complete' | 'goneAt' | 'gaps' | 'deleted'
> {
  readonly jobs: {
    readonly total: number;
    /** Those whose content is not expected to change any more. */
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
    newest: newestOf([...jobTimes(state).values()]),
  };
  return { version, total, complete, goneAt, gaps, deleted, jobs: counts };
}

/** The bounds of the newest job; both null if no job has bounds. */
export function newestOf(times: readonly TimeBounds[]): TimeBounds {
  return times.reduce((newest, bounds) => {
    const [place, best] = [placeOf(bounds), placeOf(newest)];
    if (place === null || (best !== null && place < best)) return newest;
    return place !== best || reachOf(bounds) > reachOf(newest) ? bounds : newest;
  }, NO_BOUNDS);
}

/** Of jobs with the same bound: later than the moment is newer than at the moment, which is newer than before it. */
function reachOf({ after, before }: TimeBounds): number {
  if (before === null) return 2;
  return after === before ? 1 : 0;
}

function placeOf({ after, before }: TimeBounds): bigint | null {
  return before ?? after;
}

/** Expiry by age cannot be undone: so many times are in order by chance once in 20,000 sessions. */
const MIN_TIMES = 8;

/** The facts that the log alone has of a session. */
type Seen = Pick<ArchivedSession, 'session' | 'state' | 'changed'>;

/**
 * The newest time in the ids of the jobs, if each job has a time or an upper bound; otherwise when the last change
 * was first seen.
 */
export function lastActivityOf({ session, state, changed }: Seen): LastActivity {
  const latest = [...jobTimes(state, MIN_TIMES).values()].map(({ before }) => before);
  const known = latest.filter((time) => time !== null);
  if (known.length > 0 && known.length === latest.length) {
    return { atMs: Math.max(...known.map(msOf)), from: 'job-id' };
  }
  const own = latest.length === 0 ? timeOf(session) : undefined;
  if (own !== undefined) return { atMs: own, from: 'session-id' };
  return { atMs: changed.atMs, from: 'first-seen' };
}

/**
 * Whether a session is older than a moment: nothing in it is newer. `unknown` if a job has no usable time and was
 * first seen later. A job that was seen before the moment was asked before it.
 */
type Age =
  | { readonly is: 'older' | 'newer'; readonly activity: LastActivity }
  | { readonly is: 'unknown'; readonly jobs: number; readonly seenMs: number };

export function ageOf(seen: Seen, momentMs: number): Age {
  const activity = lastActivityOf(seen);
  if (activity.atMs < momentMs) return { is: 'older', activity };
  if (activity.from !== 'first-seen') return { is: 'newer', activity };
  const { jobs } = seen.state;
  let [newestMs, unknown] = [0, 0];
  for (const [id, { after, before }] of jobTimes(seen.state, MIN_TIMES)) {
    const seenMs = Date.parse(jobs.get(id)?.seen_at ?? '');
    const latestMs = before === null ? seenMs : msOf(before);
    newestMs = Math.max(newestMs, latestMs);
    if (latestMs < momentMs) continue;
    const isNewer = after !== null && msOf(after) >= momentMs;
    if (isNewer) return { is: 'newer', activity: { atMs: msOf(after), from: 'job-id' } };
    unknown++;
  }
  if (jobs.size > 0 && unknown === 0) {
    return { is: 'older', activity: { atMs: newestMs, from: 'first-seen' } };
  }
  return { is: 'unknown', jobs: unknown, seenMs: activity.atMs };
}

/** The newest time in the ids of the jobs; undefined if no id has a time. */
export function newestJobMs({ state }: Pick<Seen, 'state'>): number | undefined {
  const times = timesIn([...state.jobs.keys()]).times.flatMap((time) => time ?? []);
  return times.length === 0 ? undefined : Math.max(...times.map(({ micros }) => msOf(micros)));
}

/**
 * Whether `a` is certainly newer than `b`: by the times in the ids or by the runs that saw the last changes, and
 * neither contradicts it.
 */
export function isNewer(a: ArchivedSession, b: ArchivedSession): boolean {
  const byRun = a.changed.run - b.changed.run;
  const hasTimes = a.activity.from !== 'first-seen' && b.activity.from !== 'first-seen';
  const byIds = hasTimes ? a.activity.atMs - b.activity.atMs : 0;
  return byRun >= 0 && byIds >= 0 && byRun + byIds > 0;
}

/** Compares two sessions: oldest first. A total order. */
export function byAge(a: ArchivedSession, b: ArchivedSession): number {
  return (
    a.activity.atMs - b.activity.atMs ||
    a.changed.commit - b.changed.commit ||
    (a.session < b.session ? -1 : 1)
  );
}

function timeOf(id: string): number | undefined {
  const created = createdAtOf(id);
  return created && msOf(created.micros);
}

function msOf(micros: bigint): number {
  return Number(micros / 1000n);
}

/** Computes when each job of an archived session was asked, from its id and its neighbours in the history. */

/**
 * Bounds of the time of each job. Every filter of archived jobs by time uses these.
 *
 * @param minTimes how many different times must be in order before neighbours count: a few may be in order by chance
 */
export function jobTimes(
  { jobs }: Pick<SessionState, 'jobs'>,
  minTimes = 2,
): ReadonlyMap<JobId, TimeBounds> {
  const ids = [...jobs.keys()];
  const times = timesIn(ids).times.map((time) => time?.micros ?? null);
  return jobTimesBeside({ jobs }, times, areSorted(ids), minTimes);
}

/**
 * The same, of times that are known otherwise, as in a pseudonymised copy.
 *
 * @param times of the jobs, in their order; null of one without
 * @param isById whether the history is listed by id, or may be: then its order says nothing
 */
export function jobTimesBeside(
  { jobs }: Pick<SessionState, 'jobs'>,
  times: readonly (bigint | null)[],
  isById: boolean,
  minTimes = 2,
): ReadonlyMap<JobId, TimeBounds> {
  const ids = [...jobs.keys()];
  const distinct = new Set(times.filter((time) => time !== null)).size;
  const bounds =
    distinct >= minTimes && isOneOrder(jobs) && !isById
      ? timeBounds(times)
      : times.map((time) => ({ after: time, before: time }));
  return new Map(bounds.map((one, index) => [ids[index] as JobId, one]));
}

/** Whether no number is there twice: then nobody knows whose neighbours are meant. */
function isOneOrder(jobs: SessionState['jobs']): boolean {
  const numbers = new Set([...jobs.values()].map(({ index }) => index));
  return numbers.size === jobs.size;
}

/** Whether the jobs are listed by id: then the order of times says nothing about ids without a time. */
function areSorted(ids: readonly JobId[]): boolean {
  const rises = ids.slice(1).map((id, at) => id > (ids[at] ?? ''));
  return rises.every(Boolean) || !rises.some(Boolean);
}

/** The order in which the jobs of a session were asked, as far as the log tells. */

/** By the times in their ids where all have one; else by number. Both, and ids, decide between equals. */
export function jobsOldestFirst({
  jobs,
}: Pick<SessionState, 'jobs'>): (readonly [JobId, JobState])[] {
  const entries = [...jobs];
  const times = timesIn([...jobs.keys()]).times.map((time) => time?.micros);
  if (times.includes(undefined)) return entries;
  // equal times stay in the order of the state
  const timed = entries.map((entry, at) => ({ entry, micros: times[at] ?? 0n }));
  return timed.sort((a, b) => Number(a.micros - b.micros)).map(({ entry }) => entry);
}

/** The place of each job among all of the session, from 1; by its id as rows have it. */
export function jobPlaces(state: Pick<SessionState, 'jobs'>): Map<string, number> {
  return new Map(jobsOldestFirst(state).map(([job], index) => [rowId(job), index + 1]));
}

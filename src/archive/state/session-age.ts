/** Computes when a session last changed, and which of two sessions is newer. Pure. */
import { createdAtOf, timesIn } from '../../model/created-at.js';
import type { ArchivedSession, LastActivity, SessionState } from './user-state.js';
import type { JobId } from '../../model/ids.js';
import { timeBounds, type TimeBounds } from '../../model/period.js';

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
export type Age =
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
  const distinct = new Set(times.filter((time) => time !== null)).size;
  const bounds =
    distinct >= minTimes && isOneOrder(jobs) && !areSorted(ids)
      ? timeBounds(times)
      : times.map((time) => ({ after: time, before: time }));
  return new Map(bounds.map((one, index) => [ids[index] as JobId, one]));
}

/**
 * Whether every number from 0 on occurs once. Otherwise some jobs were counted from the oldest and others from
 * the newest, or some have left the history, and the neighbours are not known.
 */
function isOneOrder(jobs: SessionState['jobs']): boolean {
  return [...jobs.values()].every(({ index }, at) => index === at);
}

/** Whether the jobs are listed by id: then the order of times says nothing about ids without a time. */
function areSorted(ids: readonly JobId[]): boolean {
  const rises = ids.slice(1).map((id, at) => id > (ids[at] ?? ''));
  return rises.every(Boolean) || !rises.some(Boolean);
}

/** What the state of an archived session says in short: its counts, when it last changed, the order of its jobs. */
import { NO_BOUNDS, type TimeBounds } from '../../model/time-bounds.js';
import type { SessionState } from './user-state.js';
import type { ArchivedSession, LastActivity } from './archived-session.js';
import { createdAtOf, timesIn } from '../../model/created-at.js';
import { jobTimes } from './job-times.js';

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

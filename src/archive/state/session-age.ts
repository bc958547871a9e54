/** When something last happened in a session, as far as the archive can tell, and which of two is newer. Pure. */
import { createdAtOf } from '../../model/created-at.js';
import type { ArchivedSession, LastActivity } from './archived-session.js';
import { jobTimes } from './job-times.js';

/** What goes by age goes for good: that so many times are in order by chance happens once in 20,000 sessions. */
const ENOUGH_TOLD = 8;

/** What the log alone tells of a session. */
type Seen = Pick<ArchivedSession, 'session' | 'state' | 'changed'>;

/**
 * The newest time that the ids of the jobs tell, where each of them tells one or a newer job in the history
 * does; else when the last change was first seen.
 */
export function lastActivityOf({ session, state, changed }: Seen): LastActivity {
  const latest = [...jobTimes(state, ENOUGH_TOLD).values()].map(({ before }) => before);
  const told = latest.filter((time) => time !== null);
  if (told.length > 0 && told.length === latest.length) {
    return { atMs: Math.max(...told.map(msOf)), from: 'job-id' };
  }
  const own = latest.length === 0 ? timeOf(session) : undefined;
  if (own !== undefined) return { atMs: own, from: 'session-id' };
  return { atMs: changed.atMs, from: 'first-seen' };
}

/**
 * Whether nothing in a session is newer than a moment: `unknown` where a job has no time that tells, and
 * was first seen later. What was seen by then was asked before.
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
  for (const [id, { after, before }] of jobTimes(seen.state, ENOUGH_TOLD)) {
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

/** Of the jobs whose ids tell a time, the newest. */
export function newestJobMs({ state }: Pick<Seen, 'state'>): number | undefined {
  const times = [...state.jobs.keys()].flatMap((job) => timeOf(job) ?? []);
  return times.length === 0 ? undefined : Math.max(...times);
}

/**
 * Whether `a` is certainly newer than `b`: neither what the ids tell nor the runs that saw the last changes
 * speak against it, and one of them says so.
 */
export function isNewer(a: ArchivedSession, b: ArchivedSession): boolean {
  const byRun = a.changed.run - b.changed.run;
  const isTold = a.activity.from !== 'first-seen' && b.activity.from !== 'first-seen';
  const byIds = isTold ? a.activity.atMs - b.activity.atMs : 0;
  return byRun >= 0 && byIds >= 0 && byRun + byIds > 0;
}

/** Oldest first; a total order, for what has to be done one after the other. */
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

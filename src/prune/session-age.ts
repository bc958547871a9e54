/** When something last happened in a session, as far as the archive can tell, and which of two is newer. Pure. */
import { createdAtOf } from '../model/created-at.js';
import type { ArchivedSession, LastActivity } from './archived-session.js';

/** What the log alone tells of a session. */
type Seen = Pick<ArchivedSession, 'session' | 'state' | 'changed'>;

/** The newest time that the ids of the jobs tell, where all of them tell one; else when the last change was first seen. */
export function lastActivityOf({ session, state, changed }: Seen): LastActivity {
  const times = [...state.jobs.keys()].map(timeOf);
  if (times.length > 0 && times.every((time) => time !== undefined)) {
    return { atMs: Math.max(...times), from: 'job-id' };
  }
  const own = times.length === 0 ? timeOf(session) : undefined;
  if (own !== undefined) return { atMs: own, from: 'session-id' };
  return { atMs: changed.atMs, from: 'first-seen' };
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
  return created && Number(created.micros / 1000n);
}

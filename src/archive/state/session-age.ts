/** How old an archived session is, and what is against letting an old one go: prune and expire choose by the same rules. */
import { dayOf } from '../../model/times/timestamp.js';
import { counted } from '../../base/text/counted.js';
import { createdAtOf, timesIn } from '../../model/times/created-at.js';
import type { ArchivedSession, LastActivity } from './archived-session.js';
import { jobTimes } from './job-times.js';
import type { SessionState } from './user-state.js';

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
  const sessionTime = latest.length === 0 ? timeOf(session) : undefined;
  if (sessionTime !== undefined) return { atMs: sessionTime, from: 'session-id' };
  return { atMs: changed.atMs, from: 'first-seen' };
}

/**
 * Whether a session is older than a moment: nothing in it is newer. The age is `unknown` if a job has no usable time and was
 * first seen later. A job that was seen before the moment was asked before it.
 */
type Age =
  | { readonly is: 'older' | 'newer'; readonly activity: LastActivity }
  | { readonly is: 'unknown'; readonly jobs: number; readonly seenMs: number };

export function ageOf(
  seen: Seen & Partial<Pick<ArchivedSession, 'activity'>>,
  momentMs: number,
): Age {
  const { activity = lastActivityOf(seen) } = seen;
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

/** Whether the history of an old session was seen to change at the moment or later: then it is as young as the change. */
export function hasChangedSince({ changeSeenMs }: ArchivedSession, momentMs: number): boolean {
  return changeSeenMs !== undefined && changeSeenMs >= momentMs;
}

/** Why a session may not go yet, whatever its age: the word is a program's, the sentence is for people. */
export function whyUnfinished({
  jobs,
  archived,
  complete,
  gaps,
}: SessionState):
  { readonly reason: 'incomplete' | 'unsettled'; readonly detail: string } | undefined {
  if (!complete || jobs.size !== archived) {
    // a gap of the session as a whole says why
    const whole = gaps.find(({ job }) => job === null);
    const detail = whole?.reason ?? 'its history has not been read to the end';
    return { reason: 'incomplete', detail };
  }
  const unsettled = [...jobs.values()].filter(({ settled }) => !settled).length;
  if (unsettled === 0) return undefined;
  const detail = `${counted(unsettled, 'job')} may still change: not settled yet`;
  return { reason: 'unsettled', detail };
}

/** Why a session may not go by age: one clock alone is no witness. */
export const UNCONFIRMED_CLOCK =
  'some of it was seen, or settled, by a clock that no Date of the service confirmed: nothing of it is deleted, unless --trust-this-clock is given';

/** `its newest job is from 2026-11-21 (told by its id)`. */
export function activityText({ atMs, from }: LastActivity): string {
  const day = dayOf(atMs);
  switch (from) {
    case 'job-id':
      return `its newest job is from ${day} (told by its id)`;
    case 'session-id':
      return `it has no job, and is from ${day} (told by its id)`;
    case 'first-seen':
      return `its last change was first seen on ${day}`;
  }
}

/** The newest time in the ids of the jobs; undefined if no id has a time. */
export function newestJobMs({ state }: Seen): number | undefined {
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

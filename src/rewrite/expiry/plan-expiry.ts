/** Plans an expiry from the log alone: which sessions are older than a moment, and why others stay. */
import type { Archive } from '../../archive/archive.js';
import { HeldSessions } from '../../archive/held-sessions.js';
import type { Holds } from '../../archive/holds.js';
import { isLive, type ArchivedSession } from '../../archive/state/archived-session.js';
import { LogFacts } from '../../archive/state/log-facts.js';
import { ageOf } from '../../archive/state/session-age.js';
import { assertUsersKnown } from '../../archive/reading/scope.js';
import { groupBy } from '../../base/group-by.js';
import { sessionKey } from '../../model/ids.js';
import type { ExpiredSession, ExpiryRefusal } from './expire-options.js';

export interface ExpiryRules {
  /** Sessions older than this are erased. */
  readonly momentMs: number;
  /** Only sessions of these users; undefined for all. */
  readonly users: readonly string[] | undefined;
  /** Holds beside those of the log. */
  readonly holds: Holds;
  /** Only these may be erased, by `sessionKey`; undefined for all. */
  readonly agreed?: ReadonlySet<string> | undefined;
  readonly signal: AbortSignal;
}

export interface ExpiryPlan {
  /** Sessions to erase, and refused ones; users in the order of the log. */
  readonly sessions: readonly ExpiredSession[];
  readonly kept: number;
}

/** @throws {UsageError} there is no such user @throws {IntegrityError} the log is damaged */
export async function planExpiry(archive: Archive, rules: ExpiryRules): Promise<ExpiryPlan> {
  await archive.index.refresh();
  await assertUsersKnown(archive, rules.users ?? []);
  const facts = new LogFacts(archive);
  const holds = await new HeldSessions(archive, rules.holds).now();
  const chosen = new Set(rules.users ?? archive.index.users);
  const judged: Judged[] = [];
  // of all users: an erasure takes a session by its id, from every user
  for (const user of archive.index.users) {
    rules.signal.throwIfAborted();
    for (const archived of (await facts.sessionsOf(user)).sessions) {
      judged.push(
        chosen.has(user) ? judge(archived, rules, holds) : { archived, found: undefined },
      );
    }
  }
  const owners = groupBy(judged, ({ archived }) => archived.session);
  const sessions = judged.flatMap((one) => {
    const { found, archived } = one;
    if (found?.outcome !== 'planned') return found ?? [];
    const others = owners.get(archived.session) ?? [];
    if (others.every((other) => other.found?.outcome === 'planned')) return found;
    return refused(found, 'shared-id', 'another user has a session of the same id, which stays');
  });
  const kept = judged.filter(
    ({ found, archived }) => found === undefined && chosen.has(archived.user),
  ).length;
  return { sessions, kept };
}

interface Judged {
  readonly archived: ArchivedSession;
  /** Undefined if it is kept. */
  readonly found: ExpiredSession | undefined;
}

function judge(archived: ArchivedSession, rules: ExpiryRules, holds: Holds): Judged {
  const { user, session, state } = archived;
  const age = ageOf(archived, rules.momentMs);
  if (age.is === 'newer') return { archived, found: undefined };
  const isListed = isLive(state);
  const about = { user, session, jobs: state.jobs.size, at_service: isListed };
  const held = holds.reasonFor(user, session);
  if (age.is === 'unknown') {
    const seen = dayOf(age.seenMs);
    const what =
      age.jobs === 0
        ? 'its own time'
        : age.jobs === 1
          ? 'the time of 1 job'
          : `the times of ${age.jobs} jobs`;
    const detail = `cannot tell ${what}; its last change was first seen on ${seen}`;
    const found = { ...about, newest_at: null, outcome: 'planned' as const, reason: null, detail };
    if (held !== undefined) return { archived, found: refused(found, 'hold', held) };
    return { archived, found: refused(found, 'time-unknown', detail) };
  }
  const { atMs } = age.activity;
  const detail = `nothing in it is newer than ${dayOf(atMs)}`;
  const newest = { newest_at: new Date(atMs).toISOString(), reason: null, detail };
  const found: ExpiredSession = { ...about, ...newest, outcome: 'planned' };
  if (held !== undefined) return { archived, found: refused(found, 'hold', held) };
  // a session that the service does not have any more cannot change
  if (isListed && (!state.complete || state.jobs.size !== state.archived)) {
    const why = 'its history has not been read to the end: something newer may be there';
    return { archived, found: refused(found, 'incomplete', why) };
  }
  const unsettled = [...state.jobs.values()].filter(({ settled }) => !settled).length;
  if (isListed && unsettled > 0) {
    const why = `${unsettled} of its jobs may still change: not settled yet`;
    return { archived, found: refused(found, 'unsettled', why) };
  }
  const mayGo = rules.agreed?.has(sessionKey(user, session)) ?? true;
  return { archived, found: mayGo ? found : undefined };
}

function refused(of: ExpiredSession, reason: ExpiryRefusal, detail: string): ExpiredSession {
  return { ...of, outcome: 'refused', reason, detail };
}

function dayOf(ms: number): string {
  return new Date(ms).toISOString().slice(0, 10);
}

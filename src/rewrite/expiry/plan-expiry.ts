/** Plans an expiry from the log alone: which sessions are older than a moment, and why others stay. */
import { dayOf } from '../../model/times/timestamp.js';
import type { Archive } from '../../archive/archive.js';
import { HeldSessions } from '../../archive/holds/held-sessions.js';
import type { Holds } from '../../archive/holds/holds.js';
import { isLive } from '../../archive/state/archived-session.js';
import { LogFacts, type AgedSession } from '../../archive/state/log-facts.js';
import {
  activityText,
  ageOf,
  hasChangedSince,
  UNCONFIRMED_CLOCK,
  whyUnfinished,
} from '../../archive/state/session-age.js';
import { countedOnce } from '../../archive/reading/users/listed-again.js';
import { assertUsersKnown } from '../../archive/reading/selection.js';
import { eachSessionOnce } from '../../model/user-spelling.js';
import { groupBy } from '../../base/group-by.js';
import { sessionKey, type UserId } from '../../model/ids.js';
import type { AssessedForExpiry, ExpiredSession, ExpiryRefusal } from './expire-options.js';

export interface ExpiryRules {
  /** Sessions older than this are erased. */
  readonly momentMs: number;
  /** Only sessions of these users; undefined for all. */
  readonly users: readonly string[] | undefined;
  /** Whether the service confirmed the clock by which `momentMs` was counted, or a person trusts it. */
  readonly clock: 'confirmed' | 'trusted' | 'unconfirmed';
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
  const assessed: AssessedSession[] = [];
  // all users are read: an erasure takes a session by its id, from every user
  for (const user of archive.index.users) {
    rules.signal.throwIfAborted();
    if (!chosen.has(user)) {
      const { sessions } = await archive.states.loadAsOf(user, archive.index.through);
      for (const session of sessions.keys()) {
        assessed.push({ archived: { user, session }, found: undefined });
      }
      continue;
    }
    const aged = await facts.agesAsKnown(user);
    const byAge = aged.map((archived) => assess(archived, rules, holds));
    for (const candidate of await unlessChanged(facts, user, byAge, rules)) {
      assessed.push(byConfirmedClock(candidate, rules));
    }
  }
  const owners = groupBy(assessed, ({ archived }) => archived.session);
  const isKept = ({ found, archived }: AssessedSession): boolean =>
    found === undefined && chosen.has(archived.user);
  const decided = assessed.map((candidate): AssessedSession => {
    const { found, archived } = candidate;
    if (found?.outcome !== 'planned') return candidate;
    const others = owners.get(archived.session) ?? [];
    if (others.every((other) => other.found?.outcome === 'planned')) return candidate;
    // as prune does: a session that two users list is one, and what the rules keep of one of them stays
    if (others.some(isKept)) return { archived, found: undefined };
    return { archived, found: refused(found, 'shared-id', OTHER_STAYS) };
  });
  const kept = decided.filter(isKept).map(({ archived }) => archived);
  return {
    sessions: await countedOnce(
      archive,
      decided.flatMap(({ found }) => found ?? []),
    ),
    // a session that two spellings of a user list is one
    kept: eachSessionOnce(kept).length,
  };
}

const OTHER_STAYS = 'another user has a session of the same id, which stays';

interface AssessedSession {
  readonly archived: Pick<AgedSession, 'user' | 'session'>;
  /** Undefined if it is kept. */
  readonly found: AssessedForExpiry | undefined;
  /** Its age comes from when it was first seen. */
  readonly isBySeen?: boolean;
  /** A change of it was seen later, long ago by the clock of then. */
  readonly hasChanged?: boolean;
  /** Whether a `Date` of the service confirmed the clocks that have seen it; undefined: nobody has asked. */
  readonly isClockConfirmed?: boolean;
}

function assess(archived: AgedSession, rules: ExpiryRules, holds: Holds): AssessedSession {
  const { user, session, state } = archived;
  const age = ageOf(archived, rules.momentMs);
  if (age.is === 'newer') return { archived, found: undefined };
  const isListed = isLive(state);
  const about = { user, session, jobs: state.jobs.size, at_service: isListed };
  const held = holds.reasonFor(user, session);
  // as prune does: whoever names a user who is on hold is refused; of all users, what is held stays as is meant
  const isNamed = rules.users?.includes(user) === true && holds.userReason(user) !== undefined;
  const byHold = (expired: AssessedForExpiry, why: string): AssessedForExpiry =>
    isNamed ? refused(expired, 'hold', why) : heldBy(expired, why);
  if (age.is === 'unknown') {
    const what =
      age.jobs === 0
        ? 'its own time'
        : age.jobs === 1
          ? 'the time of 1 job'
          : `the times of ${age.jobs} jobs`;
    const seen = activityText({ atMs: age.seenMs, from: 'first-seen' });
    const detail = `cannot tell ${what}; ${seen}`;
    const found = { ...about, newest_at: null, outcome: 'planned' as const, reason: null, detail };
    if (held !== undefined) return { archived, found: byHold(found, held) };
    return { archived, found: refused(found, 'time-unknown', detail) };
  }
  const { atMs } = age.activity;
  const detail = `nothing in it is newer than ${dayOf(atMs)}`;
  const newest = { newest_at: new Date(atMs).toISOString(), reason: null, detail };
  const found: AssessedForExpiry = { ...about, ...newest, outcome: 'planned' };
  if (held !== undefined) return { archived, found: byHold(found, held) };
  // a session that the service does not have any more cannot change
  const unfinished = isListed ? whyUnfinished(state) : undefined;
  if (unfinished) {
    return { archived, found: refused(found, unfinished.reason, unfinished.detail) };
  }
  const mayGo = rules.agreed?.has(sessionKey(user, session)) ?? true;
  const isBySeen = age.activity.from === 'first-seen';
  return { archived, found: mayGo ? found : undefined, isBySeen };
}

/** What was asked long ago, and seen to change since, is as old as the change: the log is read of users with such a session. */
async function unlessChanged(
  facts: LogFacts,
  user: UserId,
  assessed: readonly AssessedSession[],
  { momentMs }: ExpiryRules,
): Promise<readonly AssessedSession[]> {
  if (!assessed.some(({ found }) => found?.outcome === 'planned')) return assessed;
  const { sessions } = await facts.sessionsAsKnown(user);
  const known = new Map(sessions.map((archived) => [archived.session, archived]));
  return assessed.map((candidate) => {
    const logged = known.get(candidate.archived.session);
    const isClockConfirmed = logged?.isClockConfirmed === true;
    if (logged?.changeSeenMs === undefined) return { ...candidate, isClockConfirmed };
    return hasChangedSince(logged, momentMs)
      ? { ...candidate, found: undefined }
      : { ...candidate, isClockConfirmed, hasChanged: true };
  });
}

const UNCONFIRMED = `no export had its clock confirmed by a Date of the service, so nothing shows how old it is: export again, or --trust-this-clock`;

/** What goes by age goes by two witnesses: neither the moment nor when a session was seen rests on one clock alone. */
function byConfirmedClock(assessed: AssessedSession, { clock }: ExpiryRules): AssessedSession {
  const { archived, found, isBySeen, hasChanged, isClockConfirmed } = assessed;
  if (found?.outcome !== 'planned' || clock === 'trusted') return assessed;
  if (clock === 'unconfirmed') return { archived, found: refused(found, 'clock', UNCONFIRMED) };
  const isByClock = isBySeen === true || hasChanged === true;
  if (!isByClock || isClockConfirmed === true) return assessed;
  return { archived, found: refused(found, 'clock', UNCONFIRMED_CLOCK) };
}

function heldBy(session: AssessedForExpiry, detail: string): AssessedForExpiry {
  return { ...session, outcome: 'held', reason: 'hold', detail };
}

function refused(
  session: AssessedForExpiry,
  reason: ExpiryRefusal,
  detail: string,
): AssessedForExpiry {
  return { ...session, outcome: 'refused', reason, detail };
}

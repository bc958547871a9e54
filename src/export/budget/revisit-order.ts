/**
 * Computes the priority of known sessions. Pure. New sessions come first, then incompletely read ones, those that
 * `maxStaleness` requires, recently changed ones, and the rest.
 */
import type { SessionCheck } from '../../archive/state/user-checks.js';

const DAY_MS = 86_400_000;
/** Another change is likely within this time after a change. */
const WARM_MS = 7 * DAY_MS;
/** Assumed for sessions without a known time of change. */
const UNKNOWN_IDLE_MS = 30 * DAY_MS;

/** The numbers that decide a session's priority. */
export interface CheckFacts {
  /** Time since the last check, or since the first listing if there was none. */
  readonly ageMs: number;
  /** Time since the last change. */
  readonly idleMs: number;
  readonly kind: 'new' | 'incomplete' | 'known';
}

export function factsOf(check: SessionCheck | undefined, nowMs: number): CheckFacts {
  if (!check) return { ageMs: 0, idleMs: 0, kind: 'new' };
  const { checkedAtMs, listedAtMs, changedAtMs, isIncomplete } = check;
  return {
    ageMs: Math.max(0, nowMs - (checkedAtMs ?? listedAtMs)),
    idleMs: changedAtMs === null ? UNKNOWN_IDLE_MS : Math.max(0, nowMs - changedAtMs),
    kind: checkedAtMs === null ? 'new' : isIncomplete ? 'incomplete' : 'known',
  };
}

export function isWarm({ idleMs, kind }: CheckFacts): boolean {
  return kind === 'known' && idleMs < WARM_MS;
}

/**
 * Higher comes first. A session that has been idle twice as long is checked half as often, unless
 * `maxStaleness` requires more.
 *
 * @param dueAgeMs from this age on `maxStaleness` requires a check now
 */
export function priorityOf(facts: CheckFacts, dueAgeMs: number): number {
  const { ageMs, idleMs, kind } = facts;
  if (kind === 'new') return 5;
  if (kind === 'incomplete') return 4 + share(ageMs, DAY_MS);
  if (ageMs >= dueAgeMs) return 3 + share(ageMs, DAY_MS);
  if (isWarm(facts)) return 2 - share(idleMs, DAY_MS) + share(ageMs, DAY_MS) * 1e-6;
  return share(ageMs / (idleMs + DAY_MS), 1);
}

/** Maps a value to 0…1, monotonically. */
function share(value: number, half: number): number {
  return value / (value + half);
}

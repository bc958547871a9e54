/**
 * Computes the priority of known sessions. Pure. New ones come before all others, then what
 * was not read to the end, what the promise needs, what has changed lately, and the cold ones.
 */
import type { SessionCheck } from '../../archive/state/user-checks.js';

const DAY_MS = 86_400_000;
/** So long after a change another one is likely. */
const WARM_MS = 7 * DAY_MS;
/** Taken for sessions of which nobody knows when they changed. */
const UNKNOWN_IDLE_MS = 30 * DAY_MS;

/** What decides about a session, in numbers. */
export interface CheckFacts {
  /** Since it was last checked; while it has not been, since it was first listed. */
  readonly ageMs: number;
  /** Since it last changed. */
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
 * Higher comes first. A session that has been idle twice as long is checked half as often, but for
 * the promise.
 *
 * @param dueAgeMs from this age on the promise needs the check now
 */
export function priorityOf(facts: CheckFacts, dueAgeMs: number): number {
  const { ageMs, idleMs, kind } = facts;
  if (kind === 'new') return 5;
  if (kind === 'incomplete') return 4 + share(ageMs, DAY_MS);
  if (ageMs >= dueAgeMs) return 3 + share(ageMs, DAY_MS);
  if (isWarm(facts)) return 2 - share(idleMs, DAY_MS) + share(ageMs, DAY_MS) * 1e-6;
  return share(ageMs / (idleMs + DAY_MS), 1);
}

/** From 0 to 1, growing with the value. */
function share(value: number, half: number): number {
  return value / (value + half);
}

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

/** Computes the age from which sessions must be checked now, so that later runs can keep `maxStaleness`, too. Pure. */

export interface StalenessTarget {
  /** Ages of all sessions that are checked only because of `maxStaleness`, in milliseconds; sorted in place. */
  readonly agesMs: Float64Array;
  readonly maxStalenessMs: number;
  /** The time between two runs. */
  readonly intervalMs: number;
  /** Checks per run that are left for these sessions. */
  readonly checksPerRun: number;
}

/** Share of the interval by which a run may be late. */
const LATENESS = 0.25;
const MAX_RUNS = 100_000;

/**
 * Checks enough sessions now that no later run has more than it can do (earliest deadline first). Most sessions were
 * first checked in the same run, and would all be due in the same run again; so if there is room, each run
 * checks at least an equal share.
 */
export function dueAge({
  agesMs,
  maxStalenessMs,
  intervalMs,
  checksPerRun,
}: StalenessTarget): number {
  agesMs.sort();
  const runsLeft = (ageMs: number): number =>
    Math.max(0, Math.floor((maxStalenessMs - ageMs) / intervalMs - LATENESS));
  let due = Math.min(checksPerRun, agesMs.length / Math.max(1, runsLeft(0)));
  // the oldest first: sessions that `runs` more runs can check in time, and all older ones
  for (let at = agesMs.length - 1, count = 1; at >= 0; at--, count++) {
    const runs = Math.min(MAX_RUNS, runsLeft(agesMs[at] ?? 0));
    due = Math.max(due, runs === 0 ? count : count - runs * checksPerRun);
  }
  return due === 0 ? Infinity : (agesMs[agesMs.length - Math.ceil(due)] ?? 0);
}

/** Listings whose times are kept: enough to ignore one run started by hand, or one that failed. */
export const KEPT_LISTINGS = 4;

/** The usual time between a user's runs: the median of the times between listings; undefined without any. */
export function usualInterval(listingsMs: readonly number[], nowMs: number): number | undefined {
  const gaps = listingsMs
    .map((at, index) => (listingsMs[index + 1] ?? nowMs) - at)
    .filter((gapMs) => gapMs > 0)
    .sort((a, b) => a - b);
  return gaps[gaps.length >> 1];
}

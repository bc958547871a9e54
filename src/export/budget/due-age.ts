/** From which age on sessions must be checked now, so that later runs can keep the promise, too: pure. */

export interface Promised {
  /** Of all sessions whose turn only the promise brings, in milliseconds; is sorted. */
  readonly agesMs: Float64Array;
  readonly maxStalenessMs: number;
  /** From one run to the next. */
  readonly intervalMs: number;
  /** Checks that a run has for them, after all that comes first. */
  readonly checksPerRun: number;
}

/** Runs are late now and then: by so much of the interval. */
const LATENESS = 0.25;
const MAX_RUNS = 100_000;

/**
 * Checks at least as many now that no later run has more than it can do (earliest deadline first): most
 * sessions were first checked in the same run, and would be due in the same run again. Where there is
 * room, at least as many as every run would do if all did the same, so that it stays that way.
 */
export function dueAge({ agesMs, maxStalenessMs, intervalMs, checksPerRun }: Promised): number {
  agesMs.sort();
  const runsLeft = (ageMs: number): number =>
    Math.max(0, Math.floor((maxStalenessMs - ageMs) / intervalMs - LATENESS));
  let due = Math.min(checksPerRun, agesMs.length / Math.max(1, runsLeft(0)));
  // the oldest first: those that `runs` more runs come in time for, and all that are older
  for (let at = agesMs.length - 1, count = 1; at >= 0; at--, count++) {
    const runs = Math.min(MAX_RUNS, runsLeft(agesMs[at] ?? 0));
    due = Math.max(due, runs === 0 ? count : count - runs * checksPerRun);
  }
  return due === 0 ? Infinity : (agesMs[agesMs.length - Math.ceil(due)] ?? 0);
}

/** Listings that are kept: enough to see past a run that was started by hand, or one that fell out. */
export const KEPT_LISTINGS = 4;

/** How far apart a user's runs lie: the middle one of the times between the last listings; undefined after none. */
export function usualInterval(listingsMs: readonly number[], nowMs: number): number | undefined {
  const gaps = listingsMs
    .map((at, index) => (listingsMs[index + 1] ?? nowMs) - at)
    .filter((gapMs) => gapMs > 0)
    .sort((a, b) => a - b);
  return gaps[gaps.length >> 1];
}

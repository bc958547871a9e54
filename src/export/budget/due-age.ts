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

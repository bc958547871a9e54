/** How far apart a user's runs lie. */

/** Listings that are kept: enough to see past a run that was started by hand, or one that fell out. */
export const KEPT_LISTINGS = 4;

/** The middle one of the times between the last listings; undefined after none. */
export function usualInterval(listingsMs: readonly number[], nowMs: number): number | undefined {
  const gaps = listingsMs
    .map((at, index) => (listingsMs[index + 1] ?? nowMs) - at)
    .filter((gapMs) => gapMs > 0)
    .sort((a, b) => a - b);
  return gaps[gaps.length >> 1];
}

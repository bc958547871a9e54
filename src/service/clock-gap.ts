/** Compares this machine's clock with the service's `Date`. */

/** Of one answer: its `Date` in whole seconds, and when by our clock it was asked for and there. */
export interface DatedAnswer {
  readonly dateMs: number;
  readonly askedAtMs: number;
  readonly heardAtMs: number;
}

/**
 * Milliseconds that our clock is ahead (positive) or behind (negative) at the least; 0 where the two
 * agree, as far as the time that the answer took lets that be told.
 */
export function clockGapMs({ dateMs, askedAtMs, heardAtMs }: DatedAnswer): number {
  const endOfSecondMs = dateMs + 1000;
  if (askedAtMs > endOfSecondMs) return askedAtMs - endOfSecondMs;
  return Math.min(0, heardAtMs - dateMs);
}

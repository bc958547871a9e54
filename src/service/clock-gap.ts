/** Compares this machine's clock with the service's `Date`. */
import { formatDuration } from '../base/units.js';

/** The `Date` of an answer in whole seconds, and our clock at the request and at the answer. */
export interface DatedAnswer {
  readonly dateMs: number;
  readonly askedAtMs: number;
  readonly heardAtMs: number;
}

/**
 * The least number of milliseconds that our clock is ahead (positive) or behind (negative); 0 if the two agree
 * within the time that the answer took.
 */
export function clockGapMs({ dateMs, askedAtMs, heardAtMs }: DatedAnswer): number {
  const endOfSecondMs = dateMs + 1000;
  if (askedAtMs > endOfSecondMs) return askedAtMs - endOfSecondMs;
  return Math.min(0, heardAtMs - dateMs);
}

/** The one that is further from 0: a clock that was wrong once in a run may have decided something then. */
export function largerGapMs(one: number | null, other: number): number {
  return one !== null && Math.abs(one) >= Math.abs(other) ? one : other;
}

/** The difference between the two clocks that a decision by time tolerates. */
const TOLERATED_MS = 5 * 60_000;

/** Whether the service's `Date` agrees with our clock. @param gapMs null: no answer had a `Date`, so nothing shows it */
export function isClockConfirmed(gapMs: number | null): boolean {
  return gapMs !== null && Math.abs(gapMs) <= TOLERATED_MS;
}

/** Now, by the earlier of the two clocks: what must be old enough by a clock that may be wrong must be so by both. */
export function earlierNowMs(nowMs: number, gapMs: number | null): number {
  return nowMs - Math.max(0, gapMs ?? 0);
}

/** `10 days ahead of the service's`; undefined where the two agree, or nothing shows it. */
export function clockGapText(gapMs: number | null): string | undefined {
  if (gapMs === null || isClockConfirmed(gapMs)) return undefined;
  return `${formatDuration(Math.abs(gapMs))} ${gapMs < 0 ? 'behind' : 'ahead of'} the service's`;
}

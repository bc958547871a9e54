/** Computes the wait before another attempt. */
import type { Runtime } from './runtime.js';

/** Times the first pause: the longest one. */
const LONGEST = 60;

/**
 * Full jitter: a random time below a limit that doubles with each attempt, so that clients that failed
 * together do not retry together.
 *
 * @param attempt the attempt that failed, from 1
 */
export function backoffMs(
  attempt: number,
  { random, terms }: Pick<Runtime, 'random' | 'terms'>,
): number {
  return random.fraction() * terms.retryMs * Math.min(LONGEST, 2 ** (attempt - 1));
}

/** A shorter `Retry-After` is granted once: an answer that always says "at once" must not switch all waiting off. */
const LEAST_REQUEST_MS = 1000;

/**
 * The wait that an answer asks for, or our own.
 *
 * @param attempt the attempt that failed, from 1
 * @param askedMs `Retry-After`; null without one
 * @param ownMs what we would wait without it
 */
export function waitAsAsked(attempt: number, askedMs: number | null, ownMs: number): number {
  if (askedMs === null) return ownMs;
  return attempt > 1 && askedMs < LEAST_REQUEST_MS ? Math.max(askedMs, ownMs) : askedMs;
}

/** Computes the wait before another attempt, for answers that do not name one. */
import type { Random } from './random.js';

const FIRST_MS = 500;
const LONGEST_MS = 30_000;

/**
 * Full jitter: a random time below a limit that doubles with each attempt, so that clients that failed
 * together do not retry together.
 *
 * @param attempt the attempt that failed, from 1
 */
export function backoffMs(attempt: number, random: Random): number {
  return random.fraction() * Math.min(LONGEST_MS, FIRST_MS * 2 ** (attempt - 1));
}

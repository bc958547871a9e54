/** How long to wait before another attempt when nobody says how long. */
import type { Random } from './random.js';

const FIRST_MS = 500;
const LONGEST_MS = 30_000;

/**
 * Full jitter: anything from nothing to twice as much as the time before, so that many clients that
 * failed together do not come back together.
 *
 * @param attempt the attempt that failed, from 1
 */
export function backoffMs(attempt: number, random: Random): number {
  return random.fraction() * Math.min(LONGEST_MS, FIRST_MS * 2 ** (attempt - 1));
}

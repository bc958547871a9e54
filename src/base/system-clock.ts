import { setTimeout as delay } from 'node:timers/promises';
import type { Clock } from './clock.js';

/** A longer timer fires at once: Node.js counts its milliseconds in 31 bits (24.8 days). */
const LONGEST_TIMER_MS = 2 ** 31 - 1;

/** The machine's own clocks. */
export const systemClock: Clock = {
  now: () => Date.now(),
  monotonic: () => performance.now(),
  async sleep(ms, signal) {
    signal?.throwIfAborted();
    try {
      for (let left = ms; left > 0; left -= LONGEST_TIMER_MS) {
        await delay(Math.min(left, LONGEST_TIMER_MS), undefined, signal ? { signal } : {});
      }
    } catch (error) {
      signal?.throwIfAborted(); // the reason, not the timer's own AbortError
      throw error;
    }
  },
};

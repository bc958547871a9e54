import { setTimeout as delay } from 'node:timers/promises';
import type { Clock } from './clock.js';

/** The machine's own clocks. */
export const systemClock: Clock = {
  now: () => Date.now(),
  monotonic: () => performance.now(),
  async sleep(ms, signal) {
    signal?.throwIfAborted();
    if (ms <= 0) return;
    try {
      await delay(ms, undefined, signal ? { signal } : {});
    } catch (error) {
      signal?.throwIfAborted(); // the reason, not the timer's own AbortError
      throw error;
    }
  },
};

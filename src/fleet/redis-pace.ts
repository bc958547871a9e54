/** Rate limiter shared by all workers: each request needs a permit from Redis. */
import type { Redis, Result } from 'ioredis';
import type { Clock } from '../base/clock.js';
import { messageOf } from '../base/error.js';
import type { Logger } from '../base/logger.js';
import { redactText } from '../base/text/redact.js';
import type { Pace } from '../service/pace/pace.js';
import { Mutex } from '../base/mutex.js';
import { abortable } from './abortable.js';
import { ACQUIRE, SLOW_DOWN } from './pace-script.js';
import { RedisError } from './redis-error.js';

export interface RedisPaceOptions {
  readonly redis: Redis;
  /** Key of the state in Redis: workers with the same key share the rate. */
  readonly key: string;
  /** Requests a second, over all workers. */
  readonly rate: number;
  readonly clock: Clock;
  readonly logger: Logger;
}

/**
 * `rate` requests are spread over this many milliseconds, so that 20 a second become 18.9. The margin is larger
 * than in the limiter of one process, because there is more network between a permit and its request.
 */
const SECOND_MS = 1060;
/** How late a call may be without shifting the schedule; part of the 60 ms above. */
const LATENESS_MS = 10;
/**
 * A permit is valid only at once. One that took this much longer than the fastest recent call, because this
 * process or the network was busy, is not used: its request would collide with those of other workers.
 */
const STALE_MS = 15;
/** Recent calls that are compared; after `MAX_STALE` stale permits in a row the next one is used. */
const RECENT_CALLS = 32;
const MAX_STALE = 3;
/** The same values as in the scripts. */
const LOWEST_SHARE = 0.1;
const LONGEST_PAUSE_MS = 600_000;

declare module 'ioredis' {
  interface RedisCommander<Context> {
    jobvaultAcquire(key: string, intervalMs: number, latenessMs: number): Result<number, Context>;
    jobvaultSlowDown(key: string, pauseMs: number, ageMs: number): Result<number, Context>;
  }
}

export class RedisPace implements Pace {
  readonly #turns = new Mutex();
  /** Durations of the recent calls. */
  readonly #durationsMs: number[] = [];
  readonly #options: RedisPaceOptions;

  constructor(options: RedisPaceOptions) {
    this.#options = options;
    const { redis } = options;
    // ioredis sends only the script's hash, and the whole script after a restart of Redis
    redis.defineCommand('jobvaultAcquire', { numberOfKeys: 1, lua: ACQUIRE });
    redis.defineCommand('jobvaultSlowDown', { numberOfKeys: 1, lua: SLOW_DOWN });
  }

  async acquire(signal?: AbortSignal): Promise<void> {
    const leave = await this.#turns.enter(signal);
    try {
      for (let stale = 0; ;) {
        const { waitMs, isFresh } = await this.#request(signal);
        if (waitMs > 0) await this.#options.clock.sleep(waitMs, signal);
        else if (isFresh || stale >= MAX_STALE) return;
        else stale++;
      }
    } finally {
      leave();
    }
  }

  /** Acquires the permits one by one: other workers continue meanwhile. */
  async hold(count: number, signal?: AbortSignal): Promise<() => void> {
    for (let held = 0; held < count; held++) await this.acquire(signal);
    return () => undefined;
  }

  /** Unused: a worker does not know the requests of the others. */
  answered(): void {
    return;
  }

  slowDown(ms: number, sentAtMs: number): void {
    const { redis, key, clock, logger } = this.#options;
    redis.jobvaultSlowDown(key, ms, clock.monotonic() - sentAtMs).catch((error: unknown) => {
      logger.warn(
        { reason: redactText(messageOf(error)) },
        'could not tell the other workers to slow down',
      );
    });
  }

  async #request(signal?: AbortSignal): Promise<{ waitMs: number; isFresh: boolean }> {
    const { redis, key, rate, clock } = this.#options;
    const sentAtMs = clock.monotonic();
    const waitMs = await abortable(
      redis.jobvaultAcquire(key, SECOND_MS / rate, LATENESS_MS),
      signal,
    );
    if (!(waitMs >= 0 && waitMs <= SECOND_MS / rate / LOWEST_SHARE + LONGEST_PAUSE_MS)) {
      throw new RedisError(`the rate limit in the Redis key ${key} is invalid; delete that key`);
    }
    const durationMs = clock.monotonic() - sentAtMs;
    this.#durationsMs.push(durationMs);
    if (this.#durationsMs.length > RECENT_CALLS) this.#durationsMs.shift();
    return { waitMs, isFresh: durationMs <= Math.min(...this.#durationsMs) + STALE_MS };
  }
}

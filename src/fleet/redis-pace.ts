/** One rate for all workers: a permission for each request, from Redis. */
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
  /** Where the state lies: shared by all who share the rate. */
  readonly key: string;
  /** Requests a second, over all. */
  readonly rate: number;
  readonly clock: Clock;
  readonly logger: Logger;
}

/**
 * As in the limiter of one process, but more of the network lies between a permission and the request:
 * `rate` requests are spread over so many milliseconds, and 20 a second become 18.9.
 */
const SECOND_MS = 1060;
/** How late a question may come without the schedule slipping; taken from the 60 ms above. */
const LATENESS_MS = 10;
/**
 * A permission is for now. One that has been on its way for so much longer than usual, because this process
 * was busy or the network was, is not used: the request would meet those of others.
 */
const STALE_MS = 15;
/** Answers that tell what is usual; so many stale ones in a row mean that it has changed. */
const REMEMBERED = 32;
const MAX_STALE = 3;
/** As the scripts have it. */
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
  /** How long the last questions took. */
  readonly #tookMs: number[] = [];
  readonly #options: RedisPaceOptions;

  constructor(options: RedisPaceOptions) {
    this.#options = options;

    const { redis } = options;
    // sent by their hash, and whole where a restarted Redis does not know them any more
    redis.defineCommand('jobvaultAcquire', { numberOfKeys: 1, lua: ACQUIRE });
    redis.defineCommand('jobvaultSlowDown', { numberOfKeys: 1, lua: SLOW_DOWN });
  }

  async acquire(signal?: AbortSignal): Promise<void> {
    const leave = await this.#turns.enter(signal);
    try {
      for (let stale = 0; ;) {
        const { waitMs, isFresh } = await this.#ask(signal);
        if (waitMs > 0) await this.#options.clock.sleep(waitMs, signal);
        else if (isFresh || stale >= MAX_STALE) return;
        else stale++;
      }
    } finally {
      leave();
    }
  }

  /** The permissions are collected one by one: other workers go on meanwhile. */
  async hold(count: number, signal?: AbortSignal): Promise<() => void> {
    for (let held = 0; held < count; held++) await this.acquire(signal);
    return () => undefined;
  }

  /** Nothing is made of it: a worker knows the others' requests neither sent nor answered. */
  answered(): void {
    return;
  }

  slowDown(ms: number, sentAtMs: number): void {
    const { redis, key, clock, logger } = this.#options;
    redis.jobvaultSlowDown(key, ms, clock.monotonic() - sentAtMs).catch((error: unknown) => {
      logger.warn(
        { reason: redactText(messageOf(error)) },
        'the other workers could not be told to slow down',
      );
    });
  }

  async #ask(signal?: AbortSignal): Promise<{ waitMs: number; isFresh: boolean }> {
    const { redis, key, rate, clock } = this.#options;
    const askedAt = clock.monotonic();
    const waitMs = await abortable(
      redis.jobvaultAcquire(key, SECOND_MS / rate, LATENESS_MS),
      signal,
    );
    if (!(waitMs >= 0 && waitMs <= SECOND_MS / rate / LOWEST_SHARE + LONGEST_PAUSE_MS)) {
      throw new RedisError(`the rate that Redis keeps in ${key} cannot be used; delete that key`);
    }
    const tookMs = clock.monotonic() - askedAt;
    this.#tookMs.push(tookMs);
    if (this.#tookMs.length > REMEMBERED) this.#tookMs.shift();
    return { waitMs, isFresh: tookMs <= Math.min(...this.#tookMs) + STALE_MS };
  }
}

/** What all workers share: a rate limiter, in which each request needs a permit from Redis, and the requests of a run. */
import type { Redis, Result } from 'ioredis';
import type { Runtime } from '../base/runtime.js';
import { messageOf } from '../base/error.js';
import { redactText } from '../base/text/redact.js';
import type { Pace } from '../service/pace/pace.js';
import { Mutex } from '../base/concurrently.js';
import { abortable } from '../base/abortable.js';
import { RedisError } from './fleet-errors.js';

// Two Lua scripts, each atomic and on Redis's clock, so that the workers' clocks need not agree: a generic cell rate
// algorithm (GCRA) without bursts.
/**
 * Beginning of both scripts. The state is a hash: `tat`, when the next request is due; `paused`, the end of
 * a pause for all workers; `share`, the fraction of the rate left after a 429, which grows again from `since`.
 * Times are in milliseconds. A clock that was set back (or another server's, after a failover) must not block
 * the workers: no request is due later than one interval, and no pause is longer than `longest`.
 */
const STATE = `
local time = redis.call('TIME')
local now = time[1] * 1000 + time[2] / 1000
local state = redis.call('HMGET', KEYS[1], 'tat', 'paused', 'share', 'since')
local cut, lowest, step, longest = 0.7, 0.1, 0.05, 600000
local paused = math.min(tonumber(state[2]) or 0, now + longest)
local since = math.min(tonumber(state[4]) or 0, now + longest)
local share = tonumber(state[3]) or 1
share = math.min(1, share + step * math.floor(math.max(0, now - since) / 1000))
`;

/**
 * ARGV: milliseconds between two requests at full rate; how late a request may be without shifting the
 * schedule. Returns 0 for a permit, otherwise the milliseconds until the next one.
 */
const ACQUIRE = `${STATE}
local interval = tonumber(ARGV[1]) / share
local tat = math.min(tonumber(state[1]) or 0, now + interval)
local due = math.max(tat, paused)
if due > now then return math.ceil(due - now) end
redis.call('HSET', KEYS[1], 'tat', tostring(math.max(due, now - tonumber(ARGV[2])) + interval))
redis.call('PEXPIRE', KEYS[1], 60000 + math.ceil(interval))
return 0
`;

/** ARGV: milliseconds of the pause; milliseconds since the refused request was sent. */
const SLOW_DOWN = `${STATE}
paused = math.max(paused, now + math.min(tonumber(ARGV[1]), longest))
local sent = now - tonumber(ARGV[2])
if sent >= since then
  share = math.max(lowest, share * cut)
  since = paused
  redis.call('HSET', KEYS[1], 'share', tostring(share), 'since', tostring(since))
end
redis.call('HSET', KEYS[1], 'paused', tostring(paused))
redis.call('PEXPIRE', KEYS[1], 60000 + math.ceil(paused - now))
return 0
`;

interface RedisPaceOptions extends Pick<Runtime, 'clock' | 'logger'> {
  readonly redis: Redis;
  /** Key of the state in Redis: workers with the same key share the rate. */
  readonly key: string;
  /** Requests a second, over all workers. */
  readonly rate: number;
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

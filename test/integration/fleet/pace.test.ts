import { Redis } from 'ioredis';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { silentLogger } from '../../../src/base/logger.js';
import { systemClock } from '../../../src/base/runtime.js';
import { RedisPace } from '../../../src/fleet/redis-limits.js';
import { redisServer } from '../../services/programs.js';
import { RedisServer } from '../../services/redis.js';
import { fault } from '../../support/base/fault.js';

describe.skipIf(redisServer === undefined)('the rate of a fleet', () => {
  let server: RedisServer;
  let clients: Redis[];
  beforeAll(async () => {
    server = await RedisServer.start();
  });
  beforeEach(async () => {
    clients = [1, 2, 3].map(() => new Redis(server.url, { maxRetriesPerRequest: null }));
    await clients[0]?.flushall();
  });
  afterEach(() => {
    clients.forEach((client) => {
      client.disconnect();
    });
  });
  afterAll(() => server[Symbol.asyncDispose]());

  /** One for each client, as if each were a worker. */
  function paces(rate: number): RedisPace[] {
    const world = { clock: systemClock, logger: silentLogger };
    return clients.map((redis) => new RedisPace({ ...world, redis, key: 'rate', rate }));
  }

  it('is one rate over all: as many as ask, it lets no more through', async () => {
    const rate = 100;
    const stamps: number[] = [];
    await Promise.all(
      paces(rate).map(async (pace) => {
        for (let i = 0; i < 50; i++) {
          await pace.acquire();
          stamps.push(performance.now());
        }
      }),
    );
    stamps.sort((a, b) => a - b);
    // a hundred in 1060 ms, one of them up to 10 ms late
    expect((stamps.at(-1) ?? 0) - (stamps[0] ?? 0)).toBeGreaterThan(149 * 10.6 - 30);
  });

  it(
    'is held still for all by a refusal that one has met, and slower afterwards',
    fault('F-4'),
    async () => {
      const [one, other] = paces(1000) as [RedisPace, RedisPace];
      await one.acquire();
      await other.acquire();
      const refusedAt = performance.now();
      one.slowDown(300, systemClock.monotonic());
      await one.acquire(); // after what was told, on the same connection
      await other.acquire();
      expect(performance.now() - refusedAt).toBeGreaterThan(290);
      const [share] = await clients[0]!.hmget('rate', 'share');
      expect(Number(share)).toBeCloseTo(0.7);
    },
  );

  it.each([
    [3000, 1000],
    [1000, 3000],
  ])('keeps the longer of two pauses, of %i and then of %i ms', async (first, second) => {
    const [one, other] = paces(1000) as [RedisPace, RedisPace];
    await one.acquire();
    const redis = clients[0]!;
    one.slowDown(first, systemClock.monotonic());
    // on the same connection: what was told before has been carried out
    const [seconds = 0, micros = 0] = (await redis.time()).map(Number);
    other.slowDown(second, systemClock.monotonic());
    await clients[1]!.ping();
    const leftMs = Number(await redis.hget('rate', 'paused')) - (seconds * 1000 + micros / 1000);
    expect(leftMs).toBeGreaterThan(2000);
  });

  it('is cut once by refusals of requests from before the cut', async () => {
    const [one, other] = paces(1000) as [RedisPace, RedisPace];
    await Promise.all([one.acquire(), other.acquire()]);
    const sentAt = systemClock.monotonic();
    one.slowDown(20, sentAt);
    other.slowDown(20, sentAt);
    one.slowDown(20, sentAt);
    await Promise.all([one.acquire(), other.acquire()]);
    const [share] = await clients[0]!.hmget('rate', 'share');
    expect(Number(share)).toBeCloseTo(0.7);
  });

  describe('a permission that was long on its way', () => {
    let tookMs: number;
    let pace: RedisPace;
    /** With a clock on which each question takes as long as told; no permission has to be waited for. */
    beforeEach(async () => {
      let nowMs = 0;
      let isAnswer = true;
      const monotonic = (): number => {
        isAnswer = !isAnswer;
        return isAnswer ? (nowMs += tookMs) : nowMs;
      };
      const world = { clock: { ...systemClock, monotonic }, logger: silentLogger };
      pace = new RedisPace({ ...world, redis: clients[0]!, key: 'rate', rate: 1_000_000 });
      tookMs = 0;
      await pace.acquire();
    });

    async function permissionsTaken(): Promise<number> {
      await clients[1]!.config('RESETSTAT');
      await pace.acquire();
      const stats = await clients[1]!.info('commandstats');
      return Number(/cmdstat_evalsha:calls=(\d+)/.exec(stats)?.[1]);
    }

    it('is used up to 15 ms beyond the usual', async () => {
      tookMs = 15;
      expect(await permissionsTaken()).toBe(1);
    });

    it('is left alone three times, and the fourth is used', async () => {
      tookMs = 16;
      expect(await permissionsTaken()).toBe(4);
      expect(await permissionsTaken()).toBe(4);
    });

    it('is used at once where the last 32 took as long', async () => {
      tookMs = 16;
      const taken: number[] = [];
      for (let request = 0; request < 9; request++) taken.push(await permissionsTaken());
      expect(taken).toEqual([4, 4, 4, 4, 4, 4, 4, 4, 1]);
    });
  });

  it('stops waiting at once when it is told to, also while Redis is away', async () => {
    const [pace] = paces(1000) as [RedisPace];
    await pace.acquire();
    await server.kill();
    const stop = new AbortController();
    const waiting = pace.acquire(stop.signal);
    stop.abort(new Error('told to stop'));
    await expect(waiting).rejects.toThrow('told to stop');

    const after = pace.acquire();
    await server.start();
    await after; // and its script, which a restarted Redis does not know
  });
});

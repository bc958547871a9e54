/** A user that kills every worker that takes it: its batch is not lost with it. */
import { Redis } from 'ioredis';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { silentLogger } from '../../../src/base/logger.js';
import { systemClock } from '../../../src/base/runtime.js';
import type { BatchResult } from '../../../src/fleet/batch-tally.js';
import { ClaimedBatches } from '../../../src/fleet/claimed-batches.js';
import { QueueSource } from '../../../src/fleet/queue-source.js';
import { jobTaker, USERS_QUEUE, type UserBatch, type BatchJob } from '../../../src/fleet/queues.js';
import { splitBatch } from '../../../src/fleet/split-batch.js';
import { redisServer } from '../../services/programs.js';
import { FleetRig, QUEUE } from '../../support/rigs/fleet-rig.js';
import { DEFAULT_TERMS } from '../../../src/base/terms.js';

const USERS = Array.from({ length: 5120 }, (_, user) => `user ${user}`);
const KILLER = 'user 4242';
const DIED = 'too many workers have died';

describe.skipIf(redisServer === undefined)('a user on whom every worker dies', () => {
  let rig: FleetRig;
  let redis: Redis;
  beforeEach(async () => {
    rig = await FleetRig.start({ users: 0 });
    redis = new Redis(rig.redis.url, { maxRetriesPerRequest: null });
  });
  afterEach(async () => {
    redis.disconnect();
    await rig[Symbol.asyncDispose]();
  });

  it('is given up alone, and nobody else is: each death concerns fewer users', async () => {
    await rig.enqueue({ users: USERS });
    expect(await redis.llen(`${QUEUE}:users:wait`)).toBe(256);
    const done: string[] = [];
    const givenUp: string[] = [];
    let deaths = 0;
    while (await workUntilDeath(done, givenUp)) deaths++;
    expect(givenUp).toEqual([KILLER]);
    expect(new Set(done)).toEqual(new Set(USERS.filter((user) => user !== KILLER)));
    expect(deaths).toBeLessThanOrEqual(13);
    expect((await rig.status()).users).toMatchObject({ waiting: 0, active: 0, failed: 1 });
  });

  /** @returns whether this worker has died; otherwise the queue is empty */
  async function workUntilDeath(done: string[], givenUp: string[]): Promise<boolean> {
    const taker = jobTaker<UserBatch, BatchResult>(USERS_QUEUE, {
      redis,
      queue: QUEUE,
      logger: silentLogger,
      terms: DEFAULT_TERMS,
    });
    const claimed = new ClaimedBatches({
      taker,
      worker: `worker ${Math.random()}`,
      clock: systemClock,
      logger: silentLogger,
      terms: DEFAULT_TERMS,
      onGivenUp: (users) => givenUp.push(...users),
      split: (job) => splitBatch(job, { redis, queue: QUEUE, out: rig.out, logger: silentLogger }),
    });
    try {
      let first = await claimed.take();
      while (first) {
        const others = exported(claimed, first);
        const next = await others(done);
        if (next === DIED) return true;
        await claimed.flush();
        first = next ?? (await claimed.take());
      }
      return false;
    } finally {
      await taker.close(true);
      await letLocksExpire();
    }
  }

  /** An export that settles fifty users at a time, as commits do. */
  function exported(claimed: ClaimedBatches, first: BatchJob) {
    const source = new QueueSource({
      claimed,
      first,
      clock: systemClock,
      terms: DEFAULT_TERMS,
      onSettled: () => undefined,
      onDoubted: () => undefined,
    });
    return async (done: string[]): Promise<BatchJob | typeof DIED | undefined> => {
      let working: string[] = [];
      const commit = () => {
        for (const user of working) source.settled(user as never, outcomeOf(user));
        done.push(...working);
        working = [];
      };
      let user: string | undefined = source.firstUser;
      while (user !== undefined) {
        if (user === KILLER) return DIED;
        working.push(user);
        if (working.length === 50) commit();
        user = await source.next(new AbortController().signal, () => true);
      }
      commit();
      return source.others[0];
    };
  }

  function outcomeOf(user: string) {
    const sessions = { new: 0, changed: 0, unchanged: 0, failed: 0 };
    const entry = { user, complete: true, error: null, listed: 0, sessions, jobs: { archived: 0 } };
    const rest = { gaps: [], errors: [], unchangedJobs: 0, isNeverSeen: false };
    return { entry: { ...entry, total_items: 0, gaps: 0 } as never, ...rest };
  }

  /** As if ten seconds had passed: the queue offers again what a dead worker had. */
  async function letLocksExpire(): Promise<void> {
    const locks = await redis.keys(`${QUEUE}:users:*:lock`);
    if (locks.length > 0) await redis.del(locks);
    // the first check marks the claims, the second finds that they have no lock
    for (let check = 0; check < 2; check++) {
      await redis.del(`${QUEUE}:users:stalled-check`);
      const checker = jobTaker(USERS_QUEUE, {
        redis,
        queue: QUEUE,
        logger: silentLogger,
        terms: DEFAULT_TERMS,
      });
      await expect.poll(() => redis.exists(`${QUEUE}:users:stalled-check`)).toBe(1);
      await checker.close(true);
    }
  }
});

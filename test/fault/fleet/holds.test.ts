/** A worker that loses its hold on users, because it stood still or Redis was out of reach for too long. */
import { Redis } from 'ioredis';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { silentLogger } from '../../../src/base/logger.js';
import { systemClock } from '../../../src/base/runtime.js';
import { ClaimedBatches } from '../../../src/fleet/claimed-batches.js';
import { QueueSource } from '../../../src/fleet/queue-source.js';
import { BatchTally, type BatchResult } from '../../../src/fleet/batch-tally.js';
import { jobTaker, USERS_QUEUE, type UserBatch } from '../../../src/fleet/queues.js';
import { redisServer } from '../../services/programs.js';
import { doubledKeys } from '../../support/rigs/export-rig.js';
import { NOBODY_SETTLED, FleetRig, QUEUE } from '../../support/rigs/fleet-rig.js';
import { SHORT_TERMS } from '../../support/base/short-terms.js';

describe.skipIf(redisServer === undefined)('a worker whose holds ran out', () => {
  let rig: FleetRig;
  beforeEach(async () => {
    rig = await FleetRig.start({ users: 4 });
  });
  afterEach(() => rig[Symbol.asyncDispose]());

  it('goes on with users who come back to itself, and archives each once', async () => {
    // slow enough for the queue to notice while they are claimed
    const { run } = await rig.enqueue();
    const lost = new Promise<number>((resolve, reject) => {
      rig.emulator.faults.beforeRequest = () => {
        if (rig.emulator.stats.totalRequests === 3) dropHolds().then(resolve, reject);
      };
    });
    const worker = rig.work({ rate: 10 });
    expect(await lost).toBe(4);
    const { summary, error } = await worker;

    expect(error).toBeUndefined();
    expect(summary.users).toEqual({ ...NOBODY_SETTLED, complete: 4 });
    expect(await rig.finished(run)).toMatchObject({ status: 'complete', users: { complete: 4 } });
    const rows = await rig.select('jobs', 'user_id, session_id, job_id, job_version');
    expect(rows).toHaveLength(4);
    expect(doubledKeys('jobs', rows)).toEqual([]);
    // looked at once: a listing and a history each
    // two of them ask what totals of lists and histories count
    expect(rig.emulator.stats.totalRequests).toBe(10);
  });

  it('gives back a user who comes when the export that asked is over: nobody would work on him', async () => {
    await rig.enqueue();
    const redis = new Redis(rig.redis.url, { maxRetriesPerRequest: null });
    const taker = jobTaker<UserBatch, BatchResult>(USERS_QUEUE, {
      redis,
      queue: QUEUE,
      logger: silentLogger,
      terms: SHORT_TERMS,
    });
    const claimed = new ClaimedBatches({
      taker,
      worker: 'one',
      clock: systemClock,
      logger: silentLogger,
      terms: SHORT_TERMS,
      onGivenUp: () => undefined,
      split: () => Promise.resolve(new BatchTally().result()),
    });
    const first = await claimed.take();
    if (!first) throw new Error('no user has come');
    const source = new QueueSource({
      claimed,
      first,
      clock: systemClock,
      terms: SHORT_TERMS,
      onSettled: () => undefined,
      onDoubted: () => undefined,
    });
    const stop = new AbortController();
    const late = source.next(stop.signal, () => false);
    stop.abort(new Error('over'));
    await expect(late).rejects.toThrow('over');

    await expect.poll(() => claimed.ended, { timeout: 10_000 }).toBe(1);
    await claimed.flush();
    expect(claimed.all()).toEqual([first]);
    expect((await rig.status()).users).toMatchObject({ waiting: 3, active: 1 });
    await taker.close(true);
    redis.disconnect();
  });

  it.each([
    ['its hold ran out', 'debug', 'a claim had expired', () => dropHolds()],
    [
      'Redis does not answer',
      'warn',
      'could not tell the queue what became of users; it offers them again',
      (redis: Redis) => {
        redis.disconnect();
        return Promise.resolve();
      },
    ],
  ])('says why the queue was not told what became of users: %s', async (_, level, told, happen) => {
    await rig.enqueue();
    const redis = new Redis(rig.redis.url, { maxRetriesPerRequest: null, retryStrategy: null });
    const lines: unknown[] = [];
    const note = (at: string) => (_fields: unknown, message: string) =>
      void lines.push([at, message]);
    const logger = { ...silentLogger, debug: note('debug'), warn: note('warn') };
    const taker = jobTaker<UserBatch, BatchResult>(USERS_QUEUE, {
      redis,
      queue: QUEUE,
      logger: silentLogger,
      terms: SHORT_TERMS,
    });
    const result = new BatchTally().result();
    const claimed = new ClaimedBatches({
      ...{ taker, worker: 'one', clock: systemClock, logger, terms: SHORT_TERMS },
      onGivenUp: () => undefined,
      split: () => Promise.resolve(result),
    });
    const batch = await claimed.take();
    if (!batch) throw new Error('no user has come');
    await happen(redis);
    claimed.complete(batch, result);
    await claimed.flush();
    expect(lines).toEqual([[level, told]]);
    await taker.close(true);
    redis.disconnect();
  });

  /** As if the time of all holds were up. */
  async function dropHolds(): Promise<number> {
    const redis = new Redis(rig.redis.url);
    const holds = await redis.keys('jobvault:users:*:lock');
    const dropped = await redis.del(holds);
    redis.disconnect();
    return dropped;
  }
});

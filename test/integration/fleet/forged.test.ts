/** What somebody who can write to Redis may not make a worker do: other archives, odd records. */
import { Redis } from 'ioredis';
import { readdir, rename } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it as test } from 'vitest';
import { messageOf } from '../../../src/base/error.js';
import { silentLogger } from '../../../src/base/logger.js';
import { BatchTally } from '../../../src/fleet/batch-tally.js';
import { jobTaker, USERS_QUEUE, type UserBatch } from '../../../src/fleet/queues.js';
import { resumeRun } from '../../../src/fleet/enqueue-run.js';
import { redisServer } from '../../services/programs.js';
import { FleetRig, QUEUE } from '../../support/rigs/fleet-rig.js';
import { fault } from '../../support/base/fault.js';
import { SHORT_TERMS } from '../../support/base/short-terms.js';

const RUN = 'night';
const RUN_KEY = `jobvault:runs:run-${RUN}`;

/** Each with a Redis of its own, so that they can wait beside each other. */
const it = test.extend<{ rig: FleetRig; redis: Redis }>({
  // eslint-disable-next-line no-empty-pattern -- Vitest asks for a pattern
  rig: async ({}, use) => {
    await using rig = await FleetRig.start({ users: 2 });
    await use(rig);
  },
  redis: async ({ rig }, use) => {
    const redis = new Redis(rig.redis.url, { maxRetriesPerRequest: null });
    redis.on('error', () => undefined);
    await use(redis);
    redis.disconnect();
  },
});

/** The key of a batch that waits. */
async function firstBatch(redis: Redis): Promise<string> {
  const [id = ''] = await redis.lrange(`${QUEUE}:users:wait`, 0, 0);
  return `${QUEUE}:users:${id}`;
}

async function forgeRun(redis: Redis, changes: object): Promise<void> {
  const record = JSON.parse((await redis.hget(RUN_KEY, 'data')) ?? '') as object;
  await redis.hset(RUN_KEY, 'data', JSON.stringify({ ...record, ...changes }));
}

describe.skipIf(redisServer === undefined).concurrent('a forged record', () => {
  // these two first: they wait until the queue has offered the record again
  it('of a batch that is no JSON ends no worker', async ({ rig, redis }) => {
    await rig.enqueue({ run: RUN });
    await redis.hset(await firstBatch(redis), 'data', '{"run":');
    const { summary, error } = await rig.work({ terms: SHORT_TERMS });
    expect(error).toBeUndefined();
    expect(summary).toMatchObject({ users: { complete: 1 }, lost: { users: 1 } });
  });

  it('of a run that is no JSON is told of by each command', async ({ rig, redis }) => {
    await rig.enqueue({ run: RUN });
    await redis.hset(RUN_KEY, 'data', 'no JSON');
    const { summary, error } = await rig.work({ terms: SHORT_TERMS });
    const told = 'a record of the queue is invalid: it is not JSON';
    expect(messageOf(error)).toBe(told);
    expect(summary).toMatchObject({ users: { failed: 2 }, exports: 0 });
    await expect(rig.status()).rejects.toThrow(told);
    await expect(rig.enqueue({ run: RUN })).rejects.toThrow(told);
  });

  it(
    'that names another archive ends the worker, and the run stays for its own',
    fault('F-70'),
    async ({ rig, redis }) => {
      await rig.enqueue({ run: RUN });
      const record = JSON.parse((await redis.hget(RUN_KEY, 'data')) ?? '') as object;
      await forgeRun(redis, {
        archive: '01ARZ3NDEKTSV4RRFFQ69G5FAV',
        location: 's3://evil/archive',
      });
      const { summary, error } = await rig.work();
      expect(messageOf(error)).toMatch(
        /^the run night on this queue is of another archive \(s3:\/\/evil\/archive\) than .*; give each archive its own --queue$/,
      );
      expect(summary).toMatchObject({ status: 'failed', users: { failed: 0, returned: 1 } });
      expect(rig.emulator.stats.totalRequests).toBe(0);
      expect(await readdir(rig.out)).toEqual(['_runs', 'jobvault.json']);
      await forgeRun(redis, record);
      await rig.work();
      expect(await rig.finished(RUN)).toMatchObject({ status: 'complete', users: { complete: 2 } });
    },
  );

  it.for<[string, object, RegExp]>([
    ['a service', { base_url: 'https://evil.example' }, /is invalid: Unrecognized key: "base_url"/],
    ['a number as a text', { users: '20' }, /is invalid: users: /],
    ['the name of another run', { name: 'day' }, /it is the record of day/],
  ])(
    'that has %s is refused by the worker, and the run has failed',
    fault('F-70'),
    async ([, forged, told], { rig, redis }) => {
      await rig.enqueue({ run: RUN });
      await forgeRun(redis, forged);
      const { summary } = await rig.work();
      expect(summary).toMatchObject({ users: { failed: 2, complete: 0 }, exports: 0 });
      const { runs } = await rig.status();
      expect(runs).toEqual([expect.objectContaining({ run: RUN, state: 'failed', summary: null })]);
      expect(runs[0]?.error).toMatch(told);
      expect(rig.emulator.stats.totalRequests).toBe(0);
      expect(await readdir(rig.out)).toEqual(['_runs', 'jobvault.json']);
    },
  );

  it.for<[string, object]>([
    ['no user', { users: [] }],
    ['one user as a text', { users: 'ana' }],
    ['half a character', { users: ['\ud800'] }],
    ['a key too many', { base_url: 'https://evil.example' }],
    ['a result that is none', { done: { complete: -1 } }],
  ])(
    'of a batch with %s is refused, and the others are archived',
    fault('F-70'),
    async ([, forged], { rig, redis }) => {
      await rig.enqueue({ run: RUN });
      const key = await firstBatch(redis);
      const batch = JSON.parse((await redis.hget(key, 'data')) ?? '') as object;
      await redis.hset(key, 'data', JSON.stringify({ ...batch, ...forged }));
      const { summary } = await rig.work({ terms: SHORT_TERMS });
      expect(summary).toMatchObject({ status: 'lost', users: { complete: 1, failed: 1 } });
      expect(summary.gaps[0]?.reason).toContain("the queue's record of a batch is invalid: ");
      // whose users nobody knows are not said to be done
      const { runs } = await rig.status();
      expect(runs[0]?.error).toContain('the queue has lost 1 of 2 users of the run night');
      await resumeRun({ redis: rig.redis.url, out: rig.out, run: RUN });
      await rig.work({ terms: SHORT_TERMS });
      expect(await rig.finished(RUN)).toMatchObject({ status: 'complete', users: { complete: 2 } });
    },
  );

  it(
    'of what came of a batch is never "complete": the log decides',
    fault('F-70'),
    async ({ rig, redis }) => {
      await rig.enqueue({ run: RUN });
      const place = { redis, queue: QUEUE, logger: silentLogger, terms: SHORT_TERMS };
      const taker = jobTaker<UserBatch, unknown>(USERS_QUEUE, place);
      const done = new BatchTally().result();
      for (const forged of [
        { ...done, jobs: -1 },
        { ...done, complete: 1 },
      ]) {
        const job = await taker.getNextJob('forger', { block: false });
        await job.moveToCompleted(forged, 'forger', false);
      }
      await taker.close(true);
      expect((await rig.work()).summary).toMatchObject({ status: 'lost', lost: { users: 2 } });
      const { runs } = await rig.status();
      expect(runs).toMatchObject([{ run: RUN, state: 'failed', summary: null }]);
      expect(runs[0]?.error).toContain('the queue has lost 2 of 2 users');
    },
  );

  it('of a worker is not shown', async ({ rig, redis }) => {
    await redis.set('jobvault:worker:a', 'no JSON');
    await redis.set('jobvault:worker:b', JSON.stringify({ worker: 'b', host: 'h' }));
    await redis.set('jobvault:worker:c', 'null');
    expect((await rig.status()).workers).toEqual([]);
  });

  it('of a summary is told as what it is', async ({ rig, redis }) => {
    await rig.enqueue({ run: RUN });
    await rig.work();
    await rig.finished(RUN);
    await redis.hset(RUN_KEY, 'returnvalue', JSON.stringify({ status: 'complete', run: RUN }));
    const [run] = (await rig.status()).runs;
    expect(run).toMatchObject({ state: 'failed', summary: null });
    expect(run?.error).toBe(`the queue's summary of run ${RUN} is invalid`);
    await expect(rig.finished(RUN)).rejects.toThrow('is invalid');
  });
});

describe.skipIf(redisServer === undefined)('a worker', () => {
  it('writes where it was told to, though the run names another path', fault('F-70'), async () => {
    await using rig = await FleetRig.start({ users: 1 });
    await rig.enqueue({ run: RUN });
    const mounted = join(rig.directory, 'mounted');
    await rename(rig.out, mounted);
    await rig.work({ out: mounted });
    expect((await rig.finished(RUN)).status).toBe('complete');
    expect(await readdir(rig.directory)).toEqual(['mounted']);
  });
});

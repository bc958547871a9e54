/** What somebody who can write to Redis may not make a worker do: other places, other hosts, odd records. */
import { Redis } from 'ioredis';
import { access, readdir, rename } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it as test } from 'vitest';
import { silentLogger } from '../../../src/base/logger.js';
import { jobTaker, USERS_QUEUE, userJobId, type UserJobData } from '../../../src/fleet/queues.js';
import { emptyResult } from '../../../src/fleet/user-result.js';
import type { WorkerOptions } from '../../../src/fleet/worker-options.js';
import { redisServer } from '../../services/programs.js';
import { FleetRig, QUEUE } from '../../support/rigs/fleet-rig.js';

const RUN = 'night';
/** Where nobody may write. */
const ELSEWHERE = `/tmp/jobvault-forged-${process.pid}`;
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

describe.skipIf(redisServer === undefined).concurrent('a forged record', () => {
  // these two first: they wait until the queue has offered the record again
  it('of a user that is no JSON ends no worker', async ({ rig, redis }) => {
    await rig.enqueue({ run: RUN });
    await redis.hset(`jobvault:users:${userJobId(RUN, rig.users[0] ?? '')}`, 'data', '{"run":');
    const { summary, error } = await rig.work();
    expect(error).toBeUndefined();
    expect(summary).toMatchObject({ status: 'idle', users: { complete: 1 } });
  });

  it('of a run that is no JSON ends no worker either, and is told of', async ({ rig, redis }) => {
    await rig.enqueue({ run: RUN });
    await redis.hset(RUN_KEY, 'data', 'no JSON');
    const { summary, error } = await rig.work();
    expect(error).toBeUndefined();
    expect(summary).toMatchObject({ status: 'idle', users: { gaps: 2 }, exports: 0 });
    const told = 'a record of the queue is invalid: it is not JSON';
    await expect(rig.status()).rejects.toThrow(told);
    await expect(rig.enqueue({ run: RUN })).rejects.toThrow(told);
  });

  async function forgeRun(redis: Redis, changes: object): Promise<void> {
    const record = JSON.parse((await redis.hget(RUN_KEY, 'data')) ?? '') as object;
    await redis.hset(RUN_KEY, 'data', JSON.stringify({ ...record, ...changes }));
  }

  const bucket = { out: 's3://company/archive' };
  const endpoint = { s3: { endpoint: 'https://evil.example' } };
  it.for<[string, object, Partial<WorkerOptions>, RegExp]>([
    ['another service', { base_url: 'https://evil.example' }, {}, /has the API key of http:/],
    [
      'another port',
      { base_url: 'http://127.0.0.1:9' },
      {},
      /exports from http:\/\/127\.0\.0\.1:9,/,
    ],
    [
      'plain http:// instead of https://',
      { base_url: 'http://api.example.com' },
      { baseUrl: 'https://api.example.com' },
      /exports from http:\/\/api\.example\.com, .*has the API key of https:\/\/api\.example\.com$/,
    ],
    [
      'another path of the same host',
      { base_url: 'https://api.example.com/others' },
      { baseUrl: 'https://api.example.com/mine' },
      /exports from https:\/\/api\.example\.com\/others, /,
    ],
    [
      'another header',
      { api_key_header: 'cookie' },
      {},
      /has --api-key-header cookie, .*x-pd-api-key/,
    ],
    [
      'another store of files',
      { storage_base_url: 'https://evil.example/files' },
      {},
      /has --storage-base-url https:\/\/evil\.example\/files, and this worker has none/,
    ],
    ['another directory', { out: ELSEWHERE }, {}, /names the archive \/tmp\/jobvault-forged/],
    [
      'a directory that only begins alike',
      { out: '/tmp/allowed-not' },
      { allowOut: ['/tmp/allowed'] },
      /may write to \/tmp\/allowed$/,
    ],
    ['a bucket where only directories are allowed', bucket, {}, /names the archive s3:\/\/company/],
    [
      'another bucket',
      { out: 's3://evil/archive' },
      { allowOut: ['s3://company'] },
      /names the archive s3:\/\/evil\/archive, and this worker may write to s3:\/\/company/,
    ],
    [
      'another bucket than the one archive',
      { out: 's3://evil/archive' },
      { out: 's3://company/archive', allowOut: undefined },
      /names the archive s3:\/\/evil\/archive/,
    ],
    [
      'another endpoint',
      { ...bucket, storage: endpoint },
      { allowOut: ['s3://company/archive'] },
      /has --s3-endpoint https:\/\/evil\.example, and this worker has none/,
    ],
    [
      'an archive that the world may read',
      { ...bucket, storage: { s3: { acl: 'public-read' } } },
      { out: 's3://company/archive/', allowOut: undefined },
      /has --s3-acl public-read, and this worker has none/,
    ],
    ['a key too many', { shell: 'rm' }, {}, /is invalid: Unrecognized key/],
    ['a path with dots', { out: '/tmp/a/../b' }, {}, /is invalid: out: must be a full path or s3/],
    ['a number as a text', { rate: '20' }, {}, /is invalid: rate: /],
    ['the name of another run', { name: 'day' }, {}, /it is the record of day/],
  ])(
    'that names %s is refused by the worker, and the run has failed',
    async ([, forged, own, told], { rig, redis }) => {
      await rig.enqueue({ run: RUN });
      await forgeRun(redis, forged);
      const { summary } = await rig.work(own);
      expect(summary).toMatchObject({
        users: { gaps: 2, complete: 0 },
        exports: 0,
      });
      const { runs } = await rig.status();
      expect(runs).toEqual([expect.objectContaining({ run: RUN, state: 'failed', summary: null })]);
      expect(runs[0]?.error).toMatch(told);
      expect(rig.emulator.stats.totalRequests).toBe(0);
      expect(await readdir(rig.directory)).toEqual(['archive']);
      expect(await readdir(rig.out)).toEqual(['_runs', 'jobvault.json']);
      await expect(access(ELSEWHERE)).rejects.toThrow('ENOENT');
    },
  );

  it('of a user is refused, and the others are archived', async ({ rig, redis }) => {
    await rig.enqueue({ run: RUN });
    const [first = '', second = ''] = rig.users;
    const key = `jobvault:users:${userJobId(RUN, first)}`;
    await redis.hset(key, 'data', JSON.stringify({ run: RUN, user: second }));
    const { summary } = await rig.work();
    expect(summary).toMatchObject({ status: 'idle', users: { complete: 1 } });
    const { gaps, users } = await rig.finished(RUN);
    expect(users).toEqual({ total: 2, complete: 1, failed: 1 });
    expect(gaps.map(({ reason }) => reason)).toEqual([
      "the queue's record of a user is invalid: its id is that of another user",
    ]);
  });

  it('of what came of a user is a gap in the summary, never "complete"', async ({ rig, redis }) => {
    await rig.enqueue({ run: RUN });
    const place = { redis, queue: QUEUE, logger: silentLogger };
    const taker = jobTaker<UserJobData, unknown>(USERS_QUEUE, place);
    const [first, second] = [
      { ...emptyResult(rig.users[0] ?? ''), jobs: -1 },
      emptyResult('somebody else'),
    ];
    for (const forged of [first, second]) {
      const job = await taker.getNextJob('forger', { block: false });
      await job.moveToCompleted(forged, 'forger', false);
    }
    await taker.close(true);
    await rig.work();
    const { status, users, gaps } = await rig.finished(RUN);
    expect({ status, users }).toEqual({
      status: 'gaps',
      users: { total: 2, complete: 0, failed: 2 },
    });
    expect(gaps[0]?.reason).toBe("the queue's result of this user is invalid");
  });

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
  it('begins nothing where no archive is named that it may write to', async () => {
    await using rig = await FleetRig.start({ users: 1 });
    await expect(rig.work({ allowOut: undefined })).rejects.toThrow(
      'this worker may not write to any archive; give --out, or --allow-out',
    );
    await expect(rig.work({ allowOut: ['ftp://a/b'] })).rejects.toThrow('cannot hold an archive');
  });

  it('writes where it was told to, though the run names another path', async () => {
    await using rig = await FleetRig.start({ users: 1 });
    await rig.enqueue({ run: RUN });
    const mounted = join(rig.directory, 'mounted');
    await rename(rig.out, mounted);
    await rig.work({ allowOut: undefined, out: mounted });
    expect((await rig.finished(RUN)).status).toBe('complete');
    expect(await readdir(rig.directory)).toEqual(['mounted']);
  });
});

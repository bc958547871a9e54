import { Redis } from 'ioredis';
import { join } from 'node:path';
import type { WorkerOptions } from '../../../src/fleet/worker-options.js';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openArchiveIn } from '../../../src/archive/open-archive.js';
import { SigningStartError } from '../../../src/archive/archive-errors.js';
import { messageOf } from '../../../src/base/error.js';
import { createLocalStorage } from '../../../src/storage/local/local-storage.js';
import { redisServer } from '../../services/programs.js';
import { scriptedApi } from '../../support/http/scripted-api.js';
import { RUNS_QUEUE, USERS_QUEUE } from '../../../src/fleet/queues.js';
import { StagedBatches } from '../../../src/fleet/staged-batches.js';
import { FleetRig, QUEUE } from '../../support/rigs/fleet-rig.js';
import { ed25519Pair, startingSigner } from '../../support/base/signing-keys.js';
import { fault } from '../../support/base/fault.js';

describe.skipIf(redisServer === undefined)('a fleet', () => {
  let rig: FleetRig;
  beforeEach(async () => {
    rig = await FleetRig.start({ users: 20 });
  });
  afterEach(() => rig[Symbol.asyncDispose]());

  it('archives each user of a run once, and writes the summary when all are done', async () => {
    const { run, added } = await rig.enqueue();
    expect(added).toBe(20);
    const workers = await Promise.all([rig.work(), rig.work()]);

    const summary = await rig.finished(run);
    expect(summary).toMatchObject({
      status: 'complete',
      run,
      archive: rig.out,
      gap_counts: { gaps: 0 },
      gaps: [],
      users: { total: 20, complete: 20, failed: 0 },
      sessions: { listed: 20, new: 20, changed: 0, unchanged: 0, failed: 0 },
    });
    expect(summary.jobs.archived).toBe(
      workers.reduce((sum, { summary: { jobs } }) => sum + jobs.archived, 0),
    );
    const found = await rig.select('sessions', 'user_id', 'ORDER BY user_id');
    expect(found.map((row) => row['user_id'])).toEqual(rig.users.toSorted());
  });

  it('goes to Redis some users at a time, and is on the queue as a whole', async () => {
    const users = Array.from({ length: 30_000 }, (_, at) => `${'u'.repeat(40)}-${at}`);
    const { run, added } = await rig.enqueue({ users, expectedUsers: ['ada'] });
    expect(added).toBe(30_000);
    const redis = new Redis(rig.redis.url);
    const waiting = await redis.lrange(`${QUEUE}:users:wait`, 0, -1);
    const batches = await Promise.all(
      waiting.map((id) => redis.hget(`${QUEUE}:users:${id}`, 'data')),
    );
    expect(await redis.keys('*staged*')).toEqual([]);
    redis.disconnect();
    const of = batches.map((data) => JSON.parse(data ?? '') as { run: string; users: string[] });
    expect(of.every((batch) => batch.run === run && batch.users.length <= 117)).toBe(true);
    expect(of.flatMap((batch) => batch.users).sort()).toEqual(users.toSorted());
  });

  it('is not said to be on the queue where Redis has lost the users of a batch', async () => {
    const redis = new Redis(rig.redis.url, { maxRetriesPerRequest: null });
    const staged = new StagedBatches(redis, QUEUE);
    for (const batch of ['night.1', 'night.2']) await staged.put(batch, 'u'.repeat(600_000));
    await redis.del(`${QUEUE}:staged:night.1`);
    const batch = { name: 'batch', queueName: USERS_QUEUE };
    const children = ['night.1', 'night.2'].map((jobId) => ({ ...batch, opts: { jobId } }));
    const adding = staged.add({ name: 'run', queueName: RUNS_QUEUE, children });
    await expect(adding).rejects.toThrow('the users of a batch are gone');
    redis.disconnect();
  });

  it('puts small users into shared part files, and says in the log which run it was', async () => {
    const { run } = await rig.enqueue({ run: 'nightly.1' });
    await rig.work();
    const summary = await rig.finished(run);
    expect(await rig.select('sessions', 'DISTINCT run_id')).toHaveLength(1);

    const { log } = await openArchiveIn(createLocalStorage({ directory: rig.out }));
    expect((await log.read(1)).scope).toMatchObject({ queue: 'nightly.1' });
    expect(summary.commit).toBe(2);
    expect((await log.read(2)).scope).toMatchObject({ queue: 'nightly.1', status: 'complete' });
  });

  it('takes the same users of the same run once, also while it is under way and afterwards', async () => {
    const users = rig.users;
    const some = await rig.enqueue({ run: 'night', users: users.slice(0, 5) });
    expect(some.added).toBe(5);
    expect((await rig.enqueue({ run: 'night', users: users.slice(0, 8) })).added).toBe(3);
    await rig.work();
    expect((await rig.enqueue({ run: 'night', users: users.slice(0, 8) })).added).toBe(0);
    expect((await rig.finished('night')).users.total).toBe(8);
    await expect(rig.enqueue({ run: 'night' })).rejects.toThrow(
      'the run night is already finished and does not include 12 of these users; choose another --run',
    );
    await expect(rig.enqueue({ run: 'night', out: `${rig.out}-2` })).rejects.toThrow(
      'the run night on this queue is of another archive',
    );
  });

  it('does not begin to sign an archive by itself, and gives its users back', async () => {
    const { run } = await rig.enqueue();
    const signer = startingSigner(ed25519Pair().privateKey);
    const { summary, error } = await rig.work({ signer: { ...signer, mayStart: false } });
    expect(summary).toMatchObject({
      status: 'failed',
      users: { complete: 0, failed: 0, again: 0 },
    });
    expect(error).toBeInstanceOf(SigningStartError);
    await rig.work({ signer });
    expect(await rig.finished(run)).toMatchObject({ status: 'complete', users: { failed: 0 } });
  });

  it('leaves the users of a signed archive to those who have its key', async () => {
    const signer = startingSigner(ed25519Pair().privateKey);
    await rig.enqueue({ run: 'first', users: rig.users.slice(0, 1) });
    await rig.work({ signer });
    const { run } = await rig.enqueue({ run: 'second' });
    const requests = rig.emulator.stats.totalRequests;
    const { summary, error } = await rig.work();
    expect(summary).toMatchObject({
      status: 'failed',
      users: { complete: 0, failed: 0, again: 0 },
    });
    expect(messageOf(error)).toContain('is signed, and this run has no key: pass --signing-key');
    expect(rig.emulator.stats.totalRequests).toBe(requests);
    await rig.work({ signer });
    expect(await rig.finished(run)).toMatchObject({ status: 'complete', users: { failed: 0 } });
  });

  it('tries a user who fails again, and goes on without the others', async () => {
    const [first = ''] = rig.users;
    rig.emulator.faults.api = [{ userId: first, first: 7, answer: { kind: 'error', status: 500 } }];
    const { run } = await rig.enqueue();
    const { summary } = await rig.work();
    expect(summary.users).toMatchObject({ complete: 20, again: 1 });
    expect(await rig.finished(run)).toMatchObject({ status: 'complete', users: { complete: 20 } });
  });

  it('ends with gaps where users fail for good: who is refused is not asked about again', async () => {
    const [, , , first = '', second = ''] = rig.users;
    rig.emulator.faults.refusedUsers = { [first]: 1003 };
    rig.emulator.faults.api = [{ userId: second, answer: { kind: 'error', status: 500 } }];
    const { run } = await rig.enqueue({ attempts: 2 });
    const { summary: worker } = await rig.work();
    expect(worker.users).toMatchObject({ complete: 18, failed: 2 });
    const summary = await rig.finished(run);
    expect(summary).toMatchObject({
      status: 'gaps',
      users: { total: 20, complete: 18, failed: 2 },
    });
    expect(new Map(summary.gaps.map(({ user, status }) => [user, status]))).toEqual(
      new Map([
        [first, 'refused'],
        [second, 'failed'],
      ]),
    );
    const asked = rig.emulator.stats.arrivals.filter(({ userId }) => userId === first);
    expect(asked).toHaveLength(1);
  });

  it(
    'stops where the service does not answer: all users are given back, and none is a gap',
    fault('F-85'),
    async () => {
      const baseUrl = 'http://127.0.0.1:9';
      const { run } = await rig.enqueue({ baseUrl, attempts: 2 });
      const { summary, error } = await rig.work({ baseUrl });
      expect(error).toMatchObject({ failure: 'unreachable' });
      expect(summary).toMatchObject({ status: 'failed', users: { complete: 0, failed: 0 } });
      const { users, runs } = await rig.status();
      expect(users).toMatchObject({ active: 0, failed: 0 });
      expect(users.waiting + users.delayed).toBe(20);
      expect(runs).toMatchObject([{ run, state: 'running', users: { done: 0, left: 20 } }]);
    },
  );

  it('keeps one rate for a service, whatever the project and the queue, unless a group is named', async () => {
    const users = rig.users.slice(0, 1);
    const work = async (project: string, options: Partial<WorkerOptions> = {}) => {
      await rig.enqueue({ users, project, queue: project, out: join(rig.directory, project) });
      await rig.work({ queue: project, project, out: join(rig.directory, project), ...options });
    };
    await work('blue');
    await work('green');
    const redis = new Redis(rig.redis.url);
    expect(await redis.keys('*rate*')).toHaveLength(1);
    await work('red', { rateGroup: 'another team' });
    expect(await redis.keys('*rate*')).toHaveLength(2);
    redis.disconnect();
  });

  it('sends the key nowhere but to the service that it is for', async () => {
    await using other = await scriptedApi({ status: 200 });
    await rig.enqueue({ baseUrl: other.url, users: rig.users.slice(0, 2) });
    const { error, summary } = await rig.work();
    expect(messageOf(error)).toContain(other.url);
    expect(summary).toMatchObject({ status: 'failed', users: { failed: 0, returned: 1 } });
    expect([rig.emulator.stats.totalRequests, other.seen.length]).toEqual([0, 0]);
  });
});

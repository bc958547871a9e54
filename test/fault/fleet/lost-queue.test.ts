/** Redis loses the queue, or a part of it: what is lost is told, and put back; nothing counts as complete meanwhile. */
import { readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Redis } from 'ioredis';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { resumeRun } from '../../../src/fleet/enqueue-run.js';
import { redisServer } from '../../services/programs.js';
import { cli, cliJson } from '../../support/programs/cli-in-process.js';
import { FleetRig, QUEUE } from '../../support/rigs/fleet-rig.js';
import { fault } from '../../support/base/fault.js';

const RUN = 'night';

describe.skipIf(redisServer === undefined)('a queue that Redis has lost', () => {
  let rig: FleetRig;
  let redis: Redis;
  beforeEach(async () => {
    rig = await FleetRig.start({ users: 8 });
    redis = new Redis(rig.redis.url);
  });
  afterEach(async () => {
    redis.disconnect();
    await rig[Symbol.asyncDispose]();
  });

  const place = () => ['--redis', rig.redis.url, '--out', rig.out];
  const worker = (...more: string[]) =>
    cli([
      ...['worker', ...place(), '--queue', QUEUE, '--base-url', rig.emulator.baseUrl],
      ...['--exit-when-idle', '200ms', '--json', ...more],
    ]);
  const resume = () => resumeRun({ redis: rig.redis.url, out: rig.out, run: RUN, retryDelayMs: 1 });
  const queued = () => readdir(join(rig.out, '_runs')).catch(() => []);
  const archivedUsers = async () =>
    (await rig.select('sessions', 'DISTINCT user_id AS user', 'ORDER BY 1')).map(
      ({ user }) => user,
    );
  /** Each row of every user once. */
  const expectAllOnce = async () => {
    expect(await archivedUsers()).toEqual(rig.users.toSorted());
    const twice = await rig.select(
      'jobs',
      'user_id',
      'GROUP BY user_id, job_id HAVING count(*) > 1',
    );
    expect(twice).toEqual([]);
  };

  it(
    'is told by a worker with exit code 3, by status, and put back by enqueue --resume',
    fault('F-85'),
    async () => {
      await rig.enqueue({ run: RUN, users: rig.users.slice(0, 3) });
      await rig.enqueue({ run: RUN, users: rig.users });
      expect(await queued()).toHaveLength(2);
      await redis.flushall();

      const idle = await worker();
      expect(idle.exitCode, idle.stderr).toBe(3);
      expect(JSON.parse(idle.stdout)).toMatchObject({
        status: 'lost',
        lost: { runs: 1, users: 8 },
      });
      expect(idle.stderr).toContain('jobvault enqueue --resume night puts them back');

      const open = [{ run: RUN, queue: QUEUE, users: 8, left: 8 }];
      expect(await cliJson(['status', rig.out])).toMatchObject({ open_runs: open });
      const status = await cli(['status', rig.out, '--redis', rig.redis.url, '--queue', QUEUE]);
      expect(status.stdout).toContain('8 of 8 users are neither archived nor on it.');
      const advice = 'status with --redis says what the queue has lost.';
      expect(status.stdout).not.toContain(advice);
      expect((await cli(['status', rig.out])).stdout).toContain(advice);
      const answer = await cliJson(['enqueue', ...place(), '--resume', RUN]);
      expect(answer).toMatchObject({ run: RUN, queue: QUEUE, users: 8, added: 8 });
      expect((await worker()).exitCode).toBe(0);
      expect(await rig.finished(RUN)).toMatchObject({ status: 'complete', users: { total: 8 } });
      expect(await queued()).toEqual([]);
      expect(await cliJson(['status', rig.out])).toMatchObject({ open_runs: [] });
      await expectAllOnce();
    },
  );

  it('is put back by the command that had put it there, as after a crash in the middle of it', async () => {
    await rig.enqueue({ run: RUN, users: rig.users.slice(0, 5) });
    await redis.flushall();
    expect(await rig.enqueue({ run: RUN })).toMatchObject({ users: 8, added: 8 });
    expect(await rig.enqueue({ run: RUN })).toMatchObject({ users: 8, added: 0 });
    await rig.work();
    expect(await rig.finished(RUN)).toMatchObject({ status: 'complete', users: { total: 8 } });
    await expectAllOnce();
  });

  it(
    'in the middle of a run gets back only the users that the log does not have',
    fault('F-85'),
    async () => {
      await rig.enqueue({ run: RUN });
      const stop = new AbortController();
      rig.emulator.faults.beforeRequest = () => {
        if (rig.emulator.stats.totalRequests > 6) stop.abort(new Error('stopped'));
      };
      await rig.work({ signal: stop.signal, concurrency: 1 });
      rig.emulator.faults.beforeRequest = undefined;
      const before = await archivedUsers();
      expect(before.length).toBeGreaterThan(0);
      expect(before.length).toBeLessThan(8);
      await redis.flushall();
      expect(await resume()).toMatchObject({ users: 8 - before.length, added: 8 - before.length });
      expect(await resume()).toMatchObject({ users: 8 - before.length, added: 0 });
      await rig.work();
      expect(await rig.finished(RUN)).toMatchObject({ status: 'complete', users: { total: 8 } });
      await expectAllOnce();
    },
  );

  const batches = () => redis.lrange(`${QUEUE}:users:wait`, 0, -1);

  it.each<[string, (first: string) => Promise<unknown>, number]>([
    ['the list of batches', () => redis.del(`${QUEUE}:users:wait`), 8],
    ['the record of one batch', (id) => redis.del(`${QUEUE}:users:${id}`), 1],
    ['the record of the run', () => redis.del(`${QUEUE}:runs:run-${RUN}`), 8],
  ])(
    'as to %s is put back as well',
    { ...fault('F-85'), timeout: 30_000 },
    async (_what, lose, lost) => {
      await rig.enqueue({ run: RUN });
      await lose((await batches())[0] ?? '');
      expect(await resume()).toMatchObject({ added: lost });
      const { summary, error } = await rig.work();
      expect(error).toBeUndefined();
      expect(summary).toMatchObject({ status: 'idle', users: { complete: 8 } });
      expect(await rig.finished(RUN)).toMatchObject({ status: 'complete', users: { total: 8 } });
      await expectAllOnce();
    },
  );

  it(
    'together with what the run waits for does not let the run end as complete',
    fault('F-85'),
    async () => {
      await rig.enqueue({ run: RUN });
      const keys = (await batches()).slice(1).map((id) => `${QUEUE}:users:${id}`);
      await redis.srem(`${QUEUE}:runs:run-${RUN}:dependencies`, ...keys);
      for (const key of keys)
        await redis.lrem(`${QUEUE}:users:wait`, 0, key.split(':').at(-1) ?? '');
      await redis.del(...keys);
      const { summary } = await rig.work({ out: rig.out });
      expect(summary).toMatchObject({ status: 'lost', lost: { runs: 1, users: 7 } });
      const { runs } = await rig.status();
      expect(runs).toMatchObject([{ run: RUN, state: 'failed', summary: null }]);
      expect(runs[0]?.error).toBe(
        `the queue has lost 7 of 8 users of the run night; enqueue --resume night puts them back`,
      );
      expect(await resume()).toMatchObject({ added: 7 });
      await rig.work();
      expect(await rig.finished(RUN)).toMatchObject({ status: 'complete', users: { total: 8 } });
      await expectAllOnce();
    },
  );

  it('after its last user is done leaves a run that can still be ended', async () => {
    await rig.enqueue({ run: RUN });
    const [name = ''] = await queued();
    const file = join(rig.out, '_runs', name);
    const bytes = await readFile(file);
    await rig.work();
    // as if all workers had died before they recorded the end
    const commits = (await readdir(join(rig.out, '_commits'))).filter(
      (path) => !path.includes('jobs'),
    );
    await rm(join(rig.out, '_commits', commits.sort().at(-1) ?? ''));
    await writeFile(file, bytes);
    await redis.flushall();
    expect((await rig.work({ out: rig.out })).summary).toMatchObject({
      status: 'lost',
      lost: { runs: 1, users: 0 },
    });
    expect(await resume()).toMatchObject({ users: 0, added: 0 });
    await rig.work();
    expect(await rig.finished(RUN)).toMatchObject({ status: 'complete', users: { total: 8 } });
    expect(await queued()).toEqual([]);
  });

  it('of another archive is not touched: each has a queue of its own', fault('F-85'), async () => {
    const [blue, green] = [join(rig.directory, 'blue'), join(rig.directory, 'green')];
    const one = await rig.enqueue({ run: RUN, queue: undefined, out: blue });
    const two = await rig.enqueue({ run: RUN, queue: undefined, out: green });
    expect(one.queue).toMatch(/^jobvault-[0-9A-Z]{26}$/);
    expect(two.queue).not.toBe(one.queue);
    const { summary } = await rig.work({ queue: undefined, out: blue });
    expect(summary).toMatchObject({
      status: 'idle',
      users: { complete: 8, with_gaps: 0, failed: 0 },
    });
    const { queues } = await cliJson<{ queues: { queue: string; archives: string[] }[] }>([
      ...['status', '--redis', rig.redis.url],
    ]);
    expect(queues.map(({ queue, archives }) => [queue, archives])).toEqual(
      [
        [one.queue, [blue]],
        [two.queue, [green]],
      ].sort(),
    );
    const { stdout } = await cli(['status', '--redis', rig.redis.url]);
    expect(stdout).toContain(`queue ${two.queue}\n`);
    expect(stdout).toContain(green);
  });
});

/** How workers and runs come to their end, as whoever calls the commands learns of it. */
import { rmSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { UnrecoverableError } from '../../../src/fleet/bullmq.js';
import { Redis } from 'ioredis';
import parsePrometheus from 'parse-prometheus-text-format';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openArchiveIn } from '../../../src/archive/open-archive.js';
import { silentLogger } from '../../../src/base/logger.js';
import {
  jobTaker,
  runQueue,
  RUNS_QUEUE,
  USERS_QUEUE,
  type UserBatch,
} from '../../../src/fleet/queues.js';
import { readFleetRun } from '../../../src/fleet/queued-run.js';
import { type RunRecord } from '../../../src/fleet/queue-records.js';
import { BatchTally, type BatchResult } from '../../../src/fleet/batch-tally.js';
import { type RunSummary } from '../../../src/fleet/run-summary.js';
import { openStorage } from '../../../src/storage/open-storage.js';
import { redisServer, openssl } from '../../services/programs.js';
import { cli, type CliRun } from '../../support/programs/cli-in-process.js';
import { NOBODY_SETTLED, FleetRig, QUEUE } from '../../support/rigs/fleet-rig.js';
import { StampAuthority } from '../../support/http/stamp-authority.js';
import { scriptedApi } from '../../support/http/scripted-api.js';
import { metricsIn } from '../../support/base/metrics-folder.js';
import { fault } from '../../support/base/fault.js';
import { SHORT_TERMS } from '../../support/base/short-terms.js';

describe.skipIf(redisServer === undefined)('a fleet', () => {
  let rig: FleetRig;
  let redis: Redis;
  beforeEach(async () => {
    rig = await FleetRig.start({ users: 2 });
    redis = new Redis(rig.redis.url, { maxRetriesPerRequest: null });
  });
  afterEach(async () => {
    redis.disconnect();
    await rig[Symbol.asyncDispose]();
  });

  const work = (...more: string[]): Promise<CliRun> => {
    const place = ['--redis', rig.redis.url, '--base-url', rig.emulator.baseUrl];
    const own = ['--out', rig.out, '--queue', QUEUE, '--rate', '1000'];
    return cli(['worker', ...place, ...own, '--exit-when-idle', '200ms', '--json', ...more]);
  };
  const enqueue = (run: string, ...more: string[]): Promise<CliRun> => {
    const place = ['--redis', rig.redis.url, '--base-url', rig.emulator.baseUrl];
    const archive = ['--out', rig.out, '--queue', QUEUE];
    const users = rig.users.flatMap((user) => ['--user', user]);
    return cli(['enqueue', ...place, ...archive, ...users, '--run', run, ...more]);
  };
  const usersOf = ({ stdout }: CliRun) => (JSON.parse(stdout) as { users: object }).users;

  it('tells in one sentence that Redis refuses, and no user pays for it with an attempt', async () => {
    expect((await enqueue('night', '--attempts', '1')).exitCode).toBe(0);
    rig.emulator.faults.beforeRequest = async () => {
      await redis.config('SET', 'maxmemory', '1');
    };
    const worker = await work();
    expect(worker.exitCode).toBe(5);
    expect(worker.stderr).toMatch(
      /^jobvault: Redis at \S+ cannot be used: its memory is full; .*OOM .*$/m,
    );
    expect(worker.stderr).not.toMatch(/^ +at /m);
    expect(usersOf(worker)).toEqual({ ...NOBODY_SETTLED, returned: 2 });

    rig.emulator.faults.beforeRequest = undefined;
    await redis.config('SET', 'maxmemory', '0');
    await rig.work();
    expect(await rig.finished('night')).toMatchObject({ status: 'complete', users: { total: 2 } });
  });

  it.skipIf(openssl === undefined)(
    'has the commit that ends a queued run stamped by an authority, and no other',
    async () => {
      await using authority = await StampAuthority.start(join(rig.directory, 'authority'));
      await enqueue('night');
      const worker = await work('--timestamp-url', authority.url);
      expect(worker.exitCode, worker.stderr).toBe(0);
      const { commit } = (await rig.finished('night')) as { commit: number };
      const verified = await cli(['verify', rig.out, '--timestamp-ca', authority.ca, '--json']);
      expect(JSON.parse(verified.stdout)).toMatchObject({
        problems: [],
        timestamps: { tokens: 1, newest: { commit } },
      });
      expect(authority.requests).toHaveLength(1);
    },
  );

  it('counts users that are given up as gaps, and ends their run with exit code 3', async () => {
    const waiting = enqueue('night', '--attempts', '2', '--retry-delay', '1ms', '--wait', '--json');
    await expect.poll(async () => (await rig.status()).users.waiting).toBe(2);
    const [first = '', second = ''] = rig.users;
    rig.emulator.faults.refusedUsers = { [first]: 1003, [second]: 1003 };
    const worker = await work();
    expect(worker.exitCode, worker.stderr).toBe(3);
    expect(usersOf(worker)).toEqual({ ...NOBODY_SETTLED, failed: 2 });
    const { exitCode, stdout } = await waiting;
    expect(exitCode).toBe(3);
    expect(JSON.parse(stdout)).toMatchObject({
      status: 'gaps',
      users: { total: 2, complete: 0, failed: 2 },
      gaps: [{ status: 'refused' }, { status: 'refused' }],
      next: 'jobvault enqueue, with the same settings, starts another run, whose workers fetch what is missing.',
    });
    expect(JSON.parse(worker.stdout)).toMatchObject({
      next: 'jobvault enqueue, with the same settings, starts another run, whose workers fetch what is missing.',
    });
  });

  it(
    'tells a doubt found at the end of an export, also of a user who was done: exit code 3',
    fault('F-100'),
    async () => {
      const [ann = '', ben = ''] = rig.users;
      const { state } = rig.emulator;
      const [first = ''] = state.sessionIds(ann);
      const [other = ''] = state.sessionIds(ben);
      const texts = state.jobIds(ann, first).map((job) => state.jobText(ann, first, job));
      state.addSession(ben, { id: other }, texts);
      const waiting = enqueue('night', '--wait', '--json');
      await expect
        .poll(async () => (await rig.status()).users.waiting, { timeout: 20_000 })
        .toBe(2);
      const worker = await work('--concurrency', '1', '--checkpoint-size', '1');
      expect(worker.exitCode, worker.stderr).toBe(3);
      expect(JSON.parse(worker.stdout)).toMatchObject({
        users: { complete: 0, with_gaps: 2 },
        gap_counts: { gaps: 0, doubts: 2 },
      });
      const { exitCode, stdout } = await waiting;
      expect(exitCode).toBe(3);
      const summary = JSON.parse(stdout) as RunSummary;
      expect(summary).toMatchObject({
        status: 'gaps',
        users: { total: 2, complete: 0, with_gaps: 2, failed: 0 },
        gap_counts: { gaps: 0, doubts: 2 },
      });
      expect(
        summary.gaps.map(({ user, session, status }) => [user, session, status]).sort(),
      ).toEqual(
        [
          [ann, first, 'doubtful'],
          [ben, other, 'doubtful'],
        ].sort(),
      );
    },
  );

  it(
    'does not fail for an accepted gap, as an export does not: exit code 0, nothing to do',
    fault('F-145'),
    async () => {
      const [ann = ''] = rig.users;
      const content = { name: 'Sales', url: '{{url:lost.csv}}', expires_at: '{{expires_at}}' };
      const answer = { blocks: [{ type: 'TABLE', content, stage: 'Respond' }] };
      const question = { blocks: [{ type: 'MESSAGE', content: 'What were the sales?' }] };
      const job = JSON.stringify({ job_id: 'job-cm3ikdeuj02zk01l1yeuirt77', question, answer });
      rig.emulator.state.addSession(ann, { id: 's-lost' }, [job]);
      await enqueue('first');
      expect((await work()).exitCode).toBe(3);
      const why = ['--session', 's-lost', '--reason', 'Ticket 7', '--by', 'Grace'];
      await cli(['gap', 'accept', rig.out, ...why]);

      await enqueue('second');
      const worker = await work('--log-level', 'warn');
      expect(worker.stderr).toBe('');
      expect(worker.exitCode).toBe(0);
      expect(JSON.parse(worker.stdout)).toMatchObject({
        users: { incomplete_by_decision: 1, with_gaps: 0 },
        gap_counts: { gaps: 0 },
      });
      expect(JSON.parse(worker.stdout)).not.toHaveProperty('next');
      const status = await cli(['status', '--redis', rig.redis.url]);
      expect(status.stdout).toMatch(
        /^ {2}second +finished: 2 users: 1 complete, 1 not complete, by decision, 0 with gaps, 0 failed; 1 accepted gap$/m,
      );
    },
  );

  it(
    'tells new gaps from those told before in its last line, and leaves all as metrics',
    fault('F-149', 'F-151'),
    async () => {
      const [ann = ''] = rig.users;
      const lostFile = (index: number) => {
        const content = {
          name: 'Sales',
          url: `{{url:${index}.csv}}`,
          expires_at: '{{expires_at}}',
        };
        return { type: 'TABLE', content, stage: 'Respond' };
      };
      const jobOf = (id: string, blocks: readonly unknown[]) =>
        JSON.stringify({ job_id: id, question: { blocks: [] }, answer: { blocks } });
      const lost = Array.from({ length: 25 }, (_, index) => lostFile(index));
      rig.emulator.state.addSession(ann, { id: 's-lost' }, [jobOf('job-1', lost)]);
      const metrics = rig.directory;
      const night = async (name: string) => {
        await enqueue(name);
        const flags = ['--metrics-dir', metrics, '--log-level', 'warn', '--log-format', 'text'];
        const { stderr, exitCode } = await work(...flags);
        const [, open] =
          /^jobvault_gaps\{.*reason="missing"\} (\d+)$/m.exec(await metricsIn(metrics)) ?? [];
        return { exitCode, open: Number(open), said: /WARN: (.*?)\. First/.exec(stderr)?.[1] };
      };
      expect(await night('first')).toEqual({ exitCode: 3, open: 25, said: '25 new gaps' });
      const before = '25 gaps that were told before';
      expect(await night('second')).toEqual({
        exitCode: 3,
        open: 25,
        said: `no new gap, ${before}`,
      });
      rig.emulator.state.addSession(ann, { id: 's-new' }, [jobOf('job-2', [lostFile(26)])]);
      expect(await night('third')).toEqual({ exitCode: 3, open: 26, said: `1 new gap, ${before}` });
      // whoever ends last hides nothing of what the others have found: nobody is on the queue any more
      const { exitCode } = await work('--metrics-dir', metrics);
      expect(exitCode).toBe(3);
      expect(await metricsIn(metrics)).toMatch(/^jobvault_gaps\{.*reason="missing"\} 26$/m);
    },
  );

  it(
    'does not take a night in which nobody was put on the queue for a success, and says so',
    fault('F-150'),
    async () => {
      const metrics = rig.directory;
      const night = async () => {
        const { stderr } = await work('--metrics-dir', metrics, '--log-level', 'warn');
        const [, at = ''] =
          /^jobvault_last_success_timestamp_seconds\{.*\} (\S+)$/m.exec(await metricsIn(metrics)) ??
          [];
        const said = /(nobody was on the queue.*)/.exec(stderr)?.[1];
        return { successAt: Number(at), said };
      };
      await enqueue('night');
      const read = await night();
      expect(read).toEqual({ successAt: expect.any(Number) as number, said: undefined });
      const { runs } = await rig.status();
      const ended = runs[0]?.summary?.finished_at ?? '';
      const idle = await night();
      expect(idle.successAt).toBe(read.successAt);
      expect(idle.said).toMatch(
        /^nobody was on the queue, and the last run ended at \S+Z: see whether jobvault enqueue has failed$/,
      );
      expect(ended.slice(0, 16)).toBe(/ended at (.{16})/.exec(idle.said ?? '')?.[1]);
    },
  );

  it('is told by the status of its archive where it has read somebody later than the last export', async () => {
    const told = async () => {
      const { stdout } = await cli(['status', rig.out]);
      return /^ {2}last worker +(.*)$/m.exec(stdout)?.[1];
    };
    await enqueue('night');
    expect((await work()).exitCode).toBe(0);
    const read =
      '2 users read, 2 of them complete; jobvault status --redis URL has the run of the fleet';
    expect(await told()).toMatch(new RegExp(`^\\S+Z: ${read}$`));
    const users = rig.users.flatMap((user) => ['--user', user]);
    const service = ['--base-url', rig.emulator.baseUrl, '--rate', '1000'];
    expect((await cli(['export', '--out', rig.out, ...service, ...users])).exitCode).toBe(0);
    const file = join(rig.directory, 'users.csv');
    await writeFile(file, rig.users.join('\n'));
    const all = ['--users-file', file];
    expect((await cli(['export', '--out', rig.out, ...service, ...all])).exitCode).toBe(0);
    expect(await told()).toBeUndefined();
    await enqueue('next');
    expect((await work()).exitCode).toBe(0);
    expect(await told()).toMatch(new RegExp(`^\\S+Z, later than the last export: ${read}$`));
  });

  it(
    'is not complete where its list of users is gone and nothing says what became of some',
    fault('F-100'),
    async () => {
      await enqueue('night');
      const users = jobTaker<UserBatch, BatchResult>(USERS_QUEUE, {
        redis,
        queue: QUEUE,
        logger: silentLogger,
        terms: SHORT_TERMS,
      });
      const job = await users.getNextJob('a', { block: false });
      await job.moveToCompleted(new BatchTally().result(), 'a', false);
      await users.close(true);
      rmSync(join(rig.out, '_runs'), { recursive: true });
      await rig.work();
      const { runs } = await rig.status();
      expect(runs).toMatchObject([{ run: 'night', state: 'failed', summary: null }]);
      expect(runs[0]?.error).toContain(
        'of 1 of 2 neither its log nor the queue tells what has become',
      );
    },
  );

  it('says once that a worker has died, not for each of its batches', async () => {
    const told: unknown[] = [];
    const logger = { ...silentLogger, warn: (...line: unknown[]) => void told.push(line) };
    const users = jobTaker<UserBatch, BatchResult>(USERS_QUEUE, {
      redis,
      queue: QUEUE,
      logger,
      terms: SHORT_TERMS,
    });
    try {
      for (const batches of [3, 1]) {
        for (let i = 0; i < batches; i++) users.emit('stalled', `${i}`, 'active');
        await new Promise(setImmediate);
      }
    } finally {
      await users.close(true);
    }
    const text = 'a worker has died; other workers take its users';
    expect(told).toEqual([
      [{ batches: 3 }, text],
      [{ batches: 1 }, text],
    ]);
  });

  it('of an archive of another service ends each worker, and no user pays for it with an attempt', async () => {
    await rig.enqueue({ attempts: 1, baseUrl: 'https://api.example.com' });
    const worker = await work();
    expect(worker.exitCode).toBe(2);
    expect(worker.stderr).toContain('https://api.example.com');
    expect(usersOf(worker)).toEqual({ ...NOBODY_SETTLED, returned: 1 });
    expect((await rig.status()).users).toMatchObject({ waiting: 2, failed: 0 });
    expect(rig.emulator.stats.totalRequests).toBe(0);
  });

  /** All batches done; then the run itself fails. */
  const failRun = async () => {
    const place = { redis, queue: QUEUE, logger: silentLogger, terms: SHORT_TERMS };
    const users = jobTaker<UserBatch, BatchResult>(USERS_QUEUE, place);
    const runs = jobTaker<RunRecord, RunSummary>(RUNS_QUEUE, place);
    for (const token of ['a', 'b']) {
      const job = await users.getNextJob(token, { block: false });
      await job.moveToCompleted(new BatchTally().result(), token, false);
    }
    const run = await runs.getNextJob('c', { block: false });
    await run.moveToFailed(new UnrecoverableError('the archive is gone'), 'c', false);
    await Promise.all([users.close(true), runs.close(true)]);
  };

  it('says in one sentence that a run could not be finished', async () => {
    const waiting = enqueue('night', '--wait');
    await expect.poll(async () => (await rig.status()).users.waiting).toBe(2);
    await failRun();

    const { exitCode, stdout, stderr } = await waiting;
    expect({ exitCode, stdout }).toEqual({ exitCode: 1, stdout: '' });
    expect(stderr).toContain('jobvault: run night could not be finished: the archive is gone\n');
    expect(stderr).not.toMatch(/^ +at /m);
  });

  it('is never said to have failed without a reason, though it fails while it is read', async () => {
    await enqueue('night');
    const runs = runQueue(redis, QUEUE);
    const getJob = runs.getJob.bind(runs);
    runs.getJob = async (id) => {
      const job = await getJob(id);
      await failRun();
      return job;
    };
    expect(await readFleetRun(runs, 'night')).toMatchObject({ state: 'running', error: null });
    runs.getJob = getJob;
    const error = 'the archive is gone';
    expect(await readFleetRun(runs, 'night')).toMatchObject({ state: 'failed', error });
  });

  it('ends the waiting for a run that could not be finished with the exit code of the cause', async () => {
    const waiting = enqueue('night', '--wait');
    await expect.poll(async () => (await rig.status()).users.waiting, { timeout: 20_000 }).toBe(2);
    const users = jobTaker<UserBatch, BatchResult>(USERS_QUEUE, {
      redis,
      queue: QUEUE,
      logger: silentLogger,
      terms: SHORT_TERMS,
    });
    for (const token of ['a', 'b']) {
      const job = await users.getNextJob(token, { block: false });
      await job.moveToCompleted(new BatchTally().result(), token, false);
    }
    await users.close(true);
    const info = () => {
      rmSync(join(rig.out, 'jobvault.json'), { force: true });
    };
    await rig.work({ logger: { ...silentLogger, info } });
    const { exitCode, stdout, stderr } = await waiting;
    expect({ exitCode, stdout }, stderr).toEqual({ exitCode: 2, stdout: '' });
    expect(stderr).toContain('jobvault: run night could not be finished: ');
  });

  it('tells monitors how a worker began and ended', async () => {
    await using monitor = await scriptedApi({ status: 200 });
    const metrics = rig.directory;
    const words = [
      '--metrics-dir',
      metrics,
      '--ping-url',
      `${monitor.url}/ping`,
      '--webhook-url',
      `${monitor.url}/hook`,
    ];
    let known = 0;
    const seen = () => {
      const fresh = monitor.seen.slice(known).map(({ url, body }) => ({ url, body }));
      known += fresh.length;
      return fresh;
    };
    const valuesOf = async (name: string) => {
      const families = parsePrometheus(await metricsIn(metrics)) ?? [];
      const samples = families.find((family) => family.name === `jobvault_${name}`)?.metrics ?? [];
      return samples.map(({ labels, value }) => ({ ...labels, value: Number(value) }));
    };

    await enqueue('night');
    expect((await work(...words)).exitCode).toBe(0);
    expect(seen()).toEqual([
      { url: '/ping/start', body: '' },
      {
        url: '/ping',
        body: expect.stringMatching(/^jobvault worker .* 2 versions of questions archived/),
      },
    ]);
    const worker = { command: 'worker', scope: 'all', archive: rig.out, host: hostname() };
    expect(await valuesOf('run_jobs')).toEqual([{ ...worker, value: 2 }]);
    expect(await valuesOf('run_users')).toContainEqual({ ...worker, state: 'complete', value: 2 });
    const [success] = await valuesOf('last_success_timestamp_seconds');

    rig.emulator.faults.api = [{ answer: { kind: 'error', status: 403, code: 1004 } }];
    await enqueue('next');
    expect((await work(...words)).exitCode).toBe(6);
    const told = seen();
    expect(told.map(({ url }) => url).sort()).toEqual(['/hook', '/ping/6', '/ping/start']);
    expect(JSON.parse(told.find(({ url }) => url === '/hook')?.body ?? '')).toMatchObject({
      command: 'worker',
      status: 'failed',
      exit_code: 6,
      archive: rig.out,
      error: expect.stringContaining('key'),
      counts: { users: { returned: 1 } },
    });
    expect(await valuesOf('run_exit_code')).toEqual([{ ...worker, value: 6 }]);
    expect(await valuesOf('last_success_timestamp_seconds')).toEqual([success]);

    // the key of another project, which knows the same users
    rig.emulator.faults.api = [];
    for (const user of rig.emulator.state.userIds()) {
      for (const session of rig.emulator.state.sessionIds(user))
        rig.emulator.state.deleteSession(user, session);
      rig.emulator.state.addSession(user);
    }
    const head = await (await openArchiveIn(await openStorage(rig.out))).log.head();
    expect((await work(...words)).exitCode).toBe(3);
    const other = seen();
    expect(other.map(({ url }) => url).sort()).toEqual(['/hook', '/ping/3', '/ping/start']);
    expect(JSON.parse(other.find(({ url }) => url === '/hook')?.body ?? '')).toMatchObject({
      status: 'failed',
      error: expect.stringContaining('is this the API key of another project?'),
      counts: { users: { returned: 1 } },
    });
    expect(await valuesOf('run_doubtful_list')).toContainEqual({ ...worker, value: 1 });
    expect(await (await openArchiveIn(await openStorage(rig.out))).log.head()).toEqual(head);
    expect((await work(...words, '--allow-other-conversations')).exitCode).toBe(0);
  });
});

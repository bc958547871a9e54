/** Workers in processes of their own, one of them killed; Redis killed under others. */
import { afterEach, describe, expect, it } from 'vitest';
import { openArchiveIn } from '../../../src/archive/open-archive.js';
import { entriesOfRun } from '../../../src/archive/runs/queued-runs.js';
import { openStorage } from '../../../src/storage/open-storage.js';
import { redisServer } from '../../services/programs.js';
import type { WorkerProcess } from '../../support/programs/library-process.js';
import { cli } from '../../support/programs/cli-in-process.js';
import { doubledKeys } from '../../support/rigs/export-rig.js';
import { SHORT_TERMS } from '../../support/base/short-terms.js';
import { FleetRig } from '../../support/rigs/fleet-rig.js';

const TABLES = {
  sessions: 'session_version',
  jobs: 'job_id, job_version',
  raw_jobs: 'job_id, job_version',
};

describe.skipIf(redisServer === undefined)('a fleet', () => {
  let rig: FleetRig;
  afterEach(() => rig[Symbol.asyncDispose]());

  /** Resolves when the service has been asked so many times. */
  function requests(count: number): Promise<void> {
    return new Promise((resolve) => {
      rig.emulator.faults.beforeRequest = () => {
        if (rig.emulator.stats.totalRequests >= count) resolve();
      };
    });
  }

  async function expectEachUserOnce(): Promise<void> {
    for (const [table, keys] of Object.entries(TABLES)) {
      const rows = await rig.select(table, `user_id, session_id, ${keys}`);
      expect(doubledKeys(table, rows), table).toEqual([]);
      const users = [...new Set(rows.map((row) => row['user_id']))];
      expect(users.toSorted(), table).toEqual(rig.users.toSorted());
    }
    const verified = await cli(['verify', rig.out]);
    expect(verified.exitCode, verified.stdout).toBe(0);
    expect(verified.stdout).toMatch(/orphans +none/);
  }

  async function expectEnded(workers: readonly WorkerProcess[]): Promise<void> {
    for (const { exitCode, stderr } of await Promise.all(workers.map(({ ended }) => ended))) {
      expect(exitCode, stderr).toBe(0);
    }
  }

  it('has every row of 60 users once at 50 requests a second, though a worker is killed', async () => {
    rig = await FleetRig.start({ users: 60 });
    const { run } = await rig.enqueue();
    // longer than it takes on a busy machine to notice that the killed one is gone
    const options = { rate: 50, checkpointIntervalMs: 1000, exitWhenIdleMs: 3000 };
    const halfWay = requests(60);
    const victim = rig.beginWorker(options);
    const others = [rig.beginWorker(options)];
    await halfWay;
    victim.kill('SIGKILL');
    expect((await victim.ended).exitCode).toBeNull();

    const summary = await rig.finished(run, others);
    expect(summary).toMatchObject({
      status: 'complete',
      gap_counts: { gaps: 0 },
      users: { total: 60, complete: 60, failed: 0 },
    });
    await expectEnded(others);
    await expectEachUserOnce();
    // fifty, and one more that the network may bring in early
    expect(rig.emulator.stats.maxPerSecond).toBeLessThanOrEqual(51);
    expect(rig.emulator.stats.rateLimited).toBe(0);
  });

  it('of whose batches a worker was killed goes on with the users whom the log does not have', async () => {
    rig = await FleetRig.start({ users: 64 });
    const { run } = await rig.enqueue({ batches: 32 });
    const options = { rate: 50, checkpointIntervalMs: 200, concurrency: 2 };
    const halfWay = requests(60);
    const victim = rig.beginWorker(options);
    await halfWay;
    victim.kill('SIGKILL');
    await victim.ended;
    rig.emulator.faults.beforeRequest = undefined;
    const archive = await openArchiveIn(await openStorage(rig.out));
    const committed = await entriesOfRun(archive, { run, since: 0 });
    expect(committed.size).toBeGreaterThan(5);
    expect(committed.size).toBeLessThan(60);
    const before = rig.emulator.stats.arrivals.length;
    await rig.work({ terms: SHORT_TERMS });
    const summary = await rig.finished(run);
    expect(summary).toMatchObject({
      status: 'complete',
      users: { total: 64, complete: 64, failed: 0 },
      sessions: { listed: 64 },
    });
    const again = rig.emulator.stats.arrivals
      .slice(before)
      .filter(({ userId }) => committed.has(userId ?? ''));
    expect(again.length).toBeLessThanOrEqual(2);
    await expectEachUserOnce();
  });

  it('goes on where Redis is killed in the middle of a run, and comes back', async () => {
    rig = await FleetRig.start({ users: 60 });
    const { run } = await rig.enqueue();
    const options = { rate: 60, checkpointIntervalMs: 1000 };
    const halfWay = requests(60);
    const workers = [rig.beginWorker(options), rig.beginWorker(options)];
    await halfWay;
    await rig.redis.kill();
    await rig.redis.start();

    expect(await rig.finished(run, workers)).toMatchObject({
      status: 'complete',
      users: { total: 60, complete: 60, failed: 0 },
    });
    await expectEnded(workers);
    await expectEachUserOnce();
  });

  it('gives back what it has not done when it is told to stop, and commits the rest', async () => {
    rig = await FleetRig.start({ users: 40 });
    const { run } = await rig.enqueue();
    const begun = requests(40);
    const stopped = rig.beginWorkerProgram(['--rate', '40', '--json']);
    await begun;
    stopped.kill('SIGTERM');
    const { exitCode, stdout, stderr } = await stopped.ended;
    expect(exitCode, stderr).toBe(143);
    const { status, users } = JSON.parse(stdout) as {
      status: string;
      users: { complete: number; returned: number };
    };
    expect(status).toBe('interrupted');
    expect(users.complete).toBeGreaterThan(0);
    expect((await rig.status()).users).toMatchObject({ waiting: 40 - users.complete, active: 0 });

    await rig.work({ terms: SHORT_TERMS });
    expect((await rig.finished(run)).users).toEqual({
      total: 40,
      complete: 40,
      incomplete_by_decision: 0,
      with_gaps: 0,
      failed: 0,
      left: 0,
    });
    await expectEachUserOnce();
  });
});

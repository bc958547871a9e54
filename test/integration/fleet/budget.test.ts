/** A budget of a fleet: one number for all workers of a run. */
import { mkdir, readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Redis } from 'ioredis';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { RedisBudget } from '../../../src/fleet/redis-budget.js';
import { redisServer } from '../../services/programs.js';
import { RedisServer } from '../../services/redis.js';
import { metricsIn } from '../../support/base/metrics-folder.js';
import { cli, cliJson } from '../../support/programs/cli-in-process.js';
import { FleetRig, QUEUE } from '../../support/rigs/fleet-rig.js';

const USERS = 20;
const SESSIONS = 4;

describe.skipIf(redisServer === undefined)('the budget of a fleet', () => {
  let rig: FleetRig;
  beforeEach(async () => {
    rig = await FleetRig.start({ users: USERS, sessions: SESSIONS });
    await rig.enqueue({ run: 'first' });
    await rig.work();
    rig.emulator.stats.reset();
  });
  afterEach(() => rig[Symbol.asyncDispose]());

  it('is kept by all workers of a run together, and what it leaves is no gap', async () => {
    await rig.enqueue({ run: 'night' });
    const budget = { maxRequests: 30, maxStalenessMs: 7 * 86_400_000 };
    await Promise.all([rig.work(budget), rig.work(budget)]);
    expect(rig.emulator.stats.totalRequests).toBeLessThanOrEqual(30);
    expect(rig.emulator.stats.totalRequests).toBeGreaterThan(25);
    const summary = await rig.finished('night');
    expect(summary).toMatchObject({ status: 'not_all_read', gap_counts: { gaps: 0 } });
    expect(summary.budget?.requests).toBe(rig.emulator.stats.totalRequests);
    expect(summary.budget?.left.sessions).toBeGreaterThan(0);
    expect(summary.users.complete + summary.users.left).toBe(USERS);
    const sql = "SELECT DISTINCT queued_run, shard FROM runs WHERE kind = 'export' ORDER BY 1";
    const { rows } = await cliJson<{ rows: unknown[] }>(['query', rig.out, sql]);
    expect(rows).toEqual(['first', 'night'].map((run) => ({ queued_run: run, shard: null })));
  });

  it('comes to every session over several runs, though too small, each list in all of them', async () => {
    const read = new Set<string>();
    let runs = 0;
    for (; runs < 12 && read.size < USERS * SESSIONS; runs++) {
      rig.emulator.stats.reset();
      await rig.enqueue({ run: `night-${runs}` });
      await rig.work({ maxRequests: 40 });
      const { arrivals, requests, totalRequests } = rig.emulator.stats;
      expect(totalRequests).toBeLessThanOrEqual(40);
      expect(requests.listSessions).toBeGreaterThanOrEqual(USERS);
      for (const { operation, pathId } of arrivals) {
        if (operation === 'getHistory' && pathId !== undefined) read.add(pathId);
      }
    }
    expect(read.size).toBe(USERS * SESSIONS);
    expect(runs).toBeGreaterThan(3);
  });

  it('says of how many lists and histories it has left, which set off no alert of gaps', async () => {
    const [user = ''] = rig.users;
    for (let count = 0; count < 30; count++)
      rig.emulator.state.addSession(user, { id: `new-${count}` });
    await rig.enqueue({ run: 'night' });
    const place = ['--redis', rig.redis.url, '--base-url', rig.emulator.baseUrl];
    const metrics = join(rig.directory, 'metrics');
    await mkdir(metrics);
    const own = ['--out', rig.out, '--queue', QUEUE, '--metrics-dir', metrics];
    const idle = ['--exit-when-idle', '200ms', '--log-level', 'warn', '--log-format', 'text'];
    const work = async (...budget: readonly string[]) => {
      const worker = await cli(['worker', ...place, ...own, ...budget, ...idle, '--json']);
      const text = await metricsIn(metrics);
      const valueOf = (gauge: string, label = '') =>
        Number(new RegExp(`^jobvault_${gauge}\\{.*${label}.*\\} (\\d+)$`, 'm').exec(text)?.[1]);
      const { gaps } = await cliJson<{ gaps: unknown[] }>(['gap', 'list', rig.out]);
      const [told, left] = [valueOf('gaps', 'reason="incomplete"'), valueOf('left_gaps')];
      return { exitCode: worker.exitCode, listed: gaps.length, told, left };
    };
    const stopped = await work('--max-requests', '30');
    expect(stopped.listed).toBeGreaterThan(0);
    const { listed } = stopped;
    expect(stopped).toEqual({ exitCode: 0, listed, told: listed, left: listed });
    await rig.enqueue({ run: 'next' });
    expect(await work()).toEqual({ exitCode: 0, listed: 0, told: 0, left: 0 });
  });

  it('that is too small for the promise ends the worker and the waiting command with exit code 3', async () => {
    await rig.enqueue({ run: 'night' });
    const place = ['--redis', rig.redis.url, '--base-url', rig.emulator.baseUrl];
    const own = ['--out', rig.out, '--queue', QUEUE];
    const budget = ['--max-requests', '5', '--max-staleness', '1ms'];
    const idle = ['--exit-when-idle', '200ms', '--log-level', 'warn', '--log-format', 'text'];
    const metrics = join(rig.directory, 'metrics');
    await mkdir(metrics);
    const files = ['--metrics-dir', metrics];
    const worker = await cli(['worker', ...place, ...own, ...budget, ...idle, ...files]);
    expect(worker.exitCode, worker.stderr).toBe(3);
    const [file = ''] = await readdir(metrics);
    const text = await readFile(join(metrics, file), 'utf8');
    const began = /^jobvault_lap_began_timestamp_seconds\{.*scope="all".*\} (\S+)$/m.exec(text);
    expect(Number(began?.[1])).toBeGreaterThan(Date.now() / 1000 - 3600);
    expect(text).toMatch(/^jobvault_run_overdue\{.*\} 1$/m);
    expect(worker.stderr).toContain('the lap takes longer than --max-staleness');
    const users = rig.users.flatMap((user) => ['--user', user]);
    const waiting = await cli(['enqueue', ...place, ...own, ...users, '--run', 'night', '--wait']);
    expect(waiting.exitCode, waiting.stderr).toBe(3);
    expect(waiting.stdout).toContain('left to a later run');
  });
});

it.skipIf(redisServer === undefined)(
  'the budget of a fleet gives each export what its users may take, and keeps some for others',
  async () => {
    await using server = await RedisServer.start();
    const redis = new Redis(server.url);
    const budget = new RedisBudget(redis, QUEUE, 'shares');
    const run = { users: 100, requests: 1000 };
    // one list is kept for each of the 80 who wait
    expect(await budget.grant(20, run)).toBe(920);
    // less than their share of what is left is for nobody
    expect(await budget.grant(20, run)).toBe(20);
    const unused = { requests: 50, checked: 40, listed: 20, first: 40 };
    const rest = { left: { users: 0, sessions: 0 }, lap: null, overdue: false };
    const limits = { max_requests: 920, max_duration_ms: null, max_staleness_ms: 1 };
    await budget.settle(920, { ...limits, ...unused, ...rest }, 0);
    // two for each of the 30 who wait
    expect(await budget.grant(30, run)).toBe(870);
    expect(await budget.grant(30, run)).toBe(60);
    // users who are offered again after a death
    expect(await budget.grant(10, run)).toBe(0);
    expect(await budget.spent()).toMatchObject({ requests: 50, checked: 40 });
    redis.disconnect();
  },
);

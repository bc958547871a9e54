/** A user named to a fleet of whom the service has never listed a session: the id may be wrong. */
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Redis } from 'ioredis';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { redisServer } from '../../services/programs.js';
import { cli, cliJson, type CliRun } from '../../support/programs/cli-in-process.js';
import { FleetRig, QUEUE } from '../../support/rigs/fleet-rig.js';
import { metricsIn } from '../../support/base/metrics-folder.js';
import type { ArchiveStatus } from '../../../src/completeness/archive-status.js';
import type { RunSummary } from '../../../src/fleet/run-summary.js';

describe.skipIf(redisServer === undefined)('a fleet', () => {
  let rig: FleetRig;
  beforeEach(async () => {
    rig = await FleetRig.start({ users: 2 });
  });
  afterEach(() => rig[Symbol.asyncDispose]());

  const place = () => ['--redis', rig.redis.url, '--queue', QUEUE, '--out', rig.out];
  it('whose users file became a web page puts nothing on the queue', async () => {
    const file = join(rig.directory, 'users.csv');
    await writeFile(file, '<!DOCTYPE html>\n<title>Sign in</title>\n');
    const words = ['enqueue', ...place(), ...service(), '--users-file', file];
    const { exitCode, stderr } = await cli(words);
    expect([exitCode, stderr]).toEqual([
      3,
      expect.stringContaining('"<!DOCTYPE html>" as an id: it looks like a web page'),
    ]);
    expect((await cli(['status', rig.out])).stderr).toContain('nothing is there');
  });

  it('whose users file was corrected from two spellings of a user to one has lost nobody', async () => {
    const file = join(rig.directory, 'users.csv');
    const [one = '', other = ''] = rig.users;
    for (const [run, users] of [
      ['first', [one, one.toUpperCase(), other, 'eve']],
      ['second', [one, other, 'eve']],
    ] as const) {
      await writeFile(file, users.join('\n'));
      const words = ['enqueue', ...place(), ...service(), '--run', run, '--users-file', file];
      expect(await cli(words)).toMatchObject({ exitCode: 0, stderr: '' });
      await work();
    }
  });

  it('whose users file lost most of its users reads the rest, and the command is an alarm', async () => {
    const file = join(rig.directory, 'users.csv');
    const metrics = join(rig.directory, 'metrics');
    await mkdir(metrics);
    const enqueued = async (name: string, users: readonly string[], ...more: string[]) => {
      await writeFile(file, users.join('\n'));
      const words = ['enqueue', ...place(), ...service(), '--run', name, '--users-file', file];
      const told = await cli([...words, '--metrics-dir', metrics, '--json', ...more]);
      await work();
      return told;
    };
    const [left = '', ...others] = rig.users;
    const all = [left, ...others, ...['eve', 'dan', 'fay']];
    expect((await enqueued('first', all)).exitCode).toBe(0);
    for (const name of ['second', 'third']) {
      const { exitCode, stderr, stdout } = await enqueued(name, [left]);
      expect([exitCode, stderr]).toEqual([
        3,
        expect.stringContaining('the list of users has 1 user, 20 % of the 5 of a full run'),
      ]);
      expect(JSON.parse(stdout)).toMatchObject({ users: 1, added: 1 });
    }
    const told = await metricsIn(metrics);
    expect(told).toMatch(/^jobvault_run_doubtful_list\{[^}]*command="enqueue"[^}]*\} 1$/m);
    expect((await enqueued('meant', [left], '--min-users', '20%')).exitCode).toBe(0);
    expect((await enqueued('whole', all)).exitCode).toBe(0);
    expect(await metricsIn(metrics)).not.toContain('doubtful_list{');
  });

  it('whose list was doubtful says so when a queue that has lost it gets it back', async () => {
    const file = join(rig.directory, 'users.csv');
    const [left = '', ...others] = rig.users;
    const all = [left, ...others, ...['eve', 'dan', 'fay']];
    for (const [name, users] of [
      ['first', all],
      ['second', [left]],
    ] as const) {
      await writeFile(file, users.join('\n'));
      await cli(['enqueue', ...place(), ...service(), '--run', name, '--users-file', file]);
      if (name === 'first') await work();
    }
    const redis = new Redis(rig.redis.url);
    await redis.flushall();
    await redis.quit();
    const { exitCode, stderr } = await cli(['enqueue', ...place(), '--resume', 'second']);
    expect([exitCode, stderr]).toEqual([3, expect.stringContaining('could not be right when it')]);
    await work();
    const { runs } = await cliJson<ArchiveStatus>(['status', rig.out, '--runs', '20']);
    expect(runs.map(({ outcome }) => outcome)).toContain('doubtful_list');
  });

  const service = () => ['--base-url', rig.emulator.baseUrl];
  const [run, rate] = [
    ['--run', 'night'],
    ['--rate', '1000'],
  ];
  const enqueue = (...more: string[]): Promise<CliRun> =>
    cli(['enqueue', ...place(), ...service(), ...run, ...more]);
  const work = (...more: string[]): Promise<CliRun> =>
    cli(['worker', ...place(), ...service(), ...rate, '--exit-when-idle', '200ms', ...more]);
  const summary = (): Promise<RunSummary> => rig.finished('night');

  it('makes a gap of a user who was named, and the worker warns of it in one line', async () => {
    const [known = ''] = rig.users;
    await enqueue('--user', known, '--user', 'eve');
    const worker = await work('--log-level', 'warn', '--log-format', 'text');
    expect(worker.exitCode).toBe(3);
    expect(worker.stderr).toMatch(/WARN: 1 new gap\. First new: user eve: .*/);
    expect(await summary()).toMatchObject({
      status: 'gaps',
      gap_counts: { gaps: 1 },
      gaps: [{ user: 'eve' }],
    });
  });

  it('does so also of a user who was put back on the queue after it was lost', async () => {
    await enqueue('--user', 'eve');
    const redis = new Redis(rig.redis.url);
    await redis.flushall();
    redis.disconnect();
    expect((await work()).exitCode).toBe(3);
    await cliJson(['enqueue', ...place(), '--resume', 'night']);
    expect((await work()).exitCode).toBe(3);
    expect(await summary()).toMatchObject({ status: 'gaps', gaps: [{ user: 'eve' }] });
  });

  it('of which --shard takes a share puts no other user on the queue', async () => {
    const place = ['--redis', rig.redis.url, ...service()];
    const named = rig.users.flatMap((user) => ['--user', user]);
    const added = await Promise.all(
      ['1/2', '2/2'].map(async (shard) => {
        const archive = ['--out', join(rig.directory, shard.slice(0, 1)), '--shard', shard];
        const words = ['enqueue', ...place, ...named, ...archive, '--user', 'eve', '--user', 'dan'];
        return (await cliJson<{ added: number; queue: string }>(words)).added;
      }),
    );
    expect(added[0]! + added[1]!).toBe(4);
    expect(added.every((count) => count < 4)).toBe(true);
  });

  it('makes none of users of a file, nor where unknown users are allowed', async () => {
    const file = join(rig.directory, 'users.txt');
    await writeFile(file, 'eve\n');
    await enqueue('--users-file', file, '--user', 'mallory', '--allow-unknown-users');
    expect((await work('--log-level', 'warn')).exitCode).toBe(0);
    expect(await summary()).toMatchObject({ status: 'complete', never_seen: ['eve', 'mallory'] });
  });

  it('tells once a user of whom nothing is listed any more: the worker counts, the run names', async () => {
    const [gone = '', stays = ''] = rig.users;
    const metrics = rig.directory;
    const night = async (name: string) => {
      const users = ['--user', gone, '--user', stays];
      await cli(['enqueue', ...place(), ...service(), '--run', name, ...users]);
      return work('--log-level', 'warn', '--log-format', 'text', '--metrics-dir', metrics);
    };
    const counted = async () =>
      ((await metricsIn(metrics)).match(/state="(?:newly_)?vanished".*/g) ?? []).map((one) =>
        one.replace(/^state="(\w+)".*\} /, '$1 '),
      );
    expect((await night('first')).stderr).toBe('');
    expect(await counted()).toEqual(['vanished 0', 'newly_vanished 0']);
    const { state } = rig.emulator;
    for (const session of state.sessionIds(gone)) state.deleteSession(gone, session);
    const second = await night('second');
    expect(second.exitCode).toBe(0);
    expect(second.stderr.replace(/^\S+ /, '')).toBe(
      `WARN: the service lists nothing any more of users who had sessions: ${gone}; what is archived of them stays (this is told once) {"count":1,"users":["${gone}"]}\n`,
    );
    expect(second.stdout).toMatch(
      /^ {2}vanished +1 user of whom the service lists nothing any more; what is archived stays$/m,
    );
    expect(await counted()).toEqual(['vanished 1', 'newly_vanished 1']);
    expect(await rig.finished('second')).toMatchObject({ status: 'complete', vanished: [gone] });
    expect((await night('third')).stderr).toBe('');
    expect(await counted()).toEqual(['vanished 1', 'newly_vanished 0']);
  });

  it('of two spellings of a user counts a conversation that both list under each, and says so', async () => {
    const { state } = rig.emulator;
    const [ann = ''] = rig.users;
    const job = JSON.stringify({ job_id: 'j-1', question: { blocks: [] }, answer: { blocks: [] } });
    for (const user of [ann, ann.toUpperCase()]) state.addSession(user, { id: 's-shared' }, [job]);
    await cli([
      ...['enqueue', ...place(), ...service(), '--run', 'both'],
      ...['--user', ann, '--user', ann.toUpperCase()],
    ]);
    await work();
    const { listed_twice: twice, sessions } = await rig.finished('both');
    expect([twice, sessions.listed]).toEqual([1, 3]);
  });
});

import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { cli } from '../support/programs/cli-in-process.js';
import { FleetRig } from '../support/rigs/fleet-rig.js';
import { redisServer } from '../services/programs.js';
import { RedisServer } from '../services/redis.js';

const PASSWORD = 'c4n4ry-p4ssw0rd';
const KEY = { JOBVAULT_API_KEY: 'demo-key' };

describe.skipIf(redisServer === undefined)('the fleet on the command line', () => {
  let rig: FleetRig;
  beforeAll(async () => {
    rig = await FleetRig.start({ users: 3 });
  });
  afterAll(() => rig[Symbol.asyncDispose]());

  const place = () => ['--base-url', rig.emulator.baseUrl, '--out', rig.out];
  const named = () => rig.users.flatMap((user) => ['--user', user]);

  it('enqueues, works, waits and tells how it stands', async () => {
    const environment = { ...KEY, JOBVAULT_REDIS: rig.redis.url };
    // before there is an archive, whose id is in the name of the queue
    const worker = cli(['worker', ...place(), '--exit-when-idle', '1s'], environment);
    const run = ['enqueue', ...place(), ...named(), '--run', 'night'];
    const waited = await cli([...run, '--wait', '--json'], environment);
    expect(waited.exitCode, waited.stderr).toBe(0);
    expect(JSON.parse(waited.stdout)).toMatchObject({ run: 'night', users: { complete: 3 } });
    expect(waited.stdout.trim().split('\n')).toHaveLength(1);

    const again = await cli(run, environment);
    expect(again.stdout).toContain('Run night: 0 users put into the queue, 3 already queued');
    const status = await cli(['status', '--redis', rig.redis.url]);
    expect(status.stdout).toContain(
      'night  finished: 3 users: 3 complete, 0 with gaps, 0 failed; no gaps',
    );
    expect((await worker).exitCode).toBe(0);
  });

  it('never shows the password of the queue, nor puts the key into it', async () => {
    await using redis = await RedisServer.start('--requirepass', PASSWORD);
    const environment = {
      JOBVAULT_REDIS: `redis://:${PASSWORD}@127.0.0.1:${redis.port}`,
      JOBVAULT_API_KEY: 'demo-key',
    };
    const told = [
      await cli(['enqueue', ...place(), ...named()], environment),
      await cli(
        ['worker', ...place(), '--exit-when-idle', '200ms', '--log-level', 'debug'],
        environment,
      ),
      await cli(['status', '--redis', environment.JOBVAULT_REDIS, '--json']),
      await cli(['status', '--redis', `redis://:wrong-${PASSWORD}@127.0.0.1:${redis.port}`]),
    ];
    expect(told.map(({ exitCode }) => exitCode)).toEqual([0, 0, 0, 6]);
    for (const { stdout, stderr } of told) expect(stdout + stderr).not.toContain(PASSWORD);
    const dumped = await redis.everything(PASSWORD);
    expect(dumped).toContain(rig.users[0]);
    expect(dumped).not.toContain('demo-key');
    expect(dumped).not.toContain(rig.emulator.baseUrl);
  });

  it.each([
    [['enqueue'], '--redis is missing; give it, or set JOBVAULT_REDIS'],
    [
      ['worker', '--redis', 'http://queue', '--base-url', 'https://a.example', '--out', 'a'],
      '--redis is "http://queue"; allowed is redis://',
    ],
    [
      ['worker', '--redis', 'redis://127.0.0.1:1'],
      '--base-url is missing; give it, or set JOBVAULT_BASE_URL',
    ],
    [
      ['worker', '--redis', 'redis://127.0.0.1:1', '--base-url', 'https://api.example.com'],
      '--out is missing; give it, or set JOBVAULT_OUT',
    ],
    [
      ['status'],
      'jobvault: no archive is named: jobvault status ARCHIVE, a directory or s3://bucket/prefix, or out in the configuration; or --redis URL for the queues of a fleet\n',
    ],
    [
      ['enqueue', '--redis', 'redis://q', '--out', 'a', '--resume', 'night', '--user', 'ada'],
      '--resume takes the users and settings of its run',
    ],
  ])('refuses %j', async (words, sentence) => {
    const end = await cli(words, KEY);
    expect(end).toMatchObject({ exitCode: 2, stdout: '' });
    expect(end.stderr).toContain(sentence);
  });

  it.each(['a:b', '-night', 'n'.repeat(65)])('refuses the run name %j', async (name) => {
    const words = ['--redis', rig.redis.url, ...place(), ...named(), `--run=${name}`];
    const end = await cli(['enqueue', ...words]);
    expect(end.exitCode).toBe(2);
    expect(end.stderr).toContain('--run is');
  });

  it('says soon that Redis cannot be reached', async () => {
    const words = ['--redis', 'redis://127.0.0.1:1', '--base-url', rig.emulator.baseUrl];
    const end = await cli(['worker', ...words, '--out', rig.out]);
    expect(end.exitCode).toBe(5);
    expect(end.stderr).toContain(
      'Redis at redis://127.0.0.1:1 cannot be used: connect ECONNREFUSED',
    );
  });
});

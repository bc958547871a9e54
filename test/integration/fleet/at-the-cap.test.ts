/** Whose conversations the service soon forgets is told by a fleet as by an ordinary export: each night, with what makes room. */
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { redisServer } from '../../services/programs.js';
import { metricsIn } from '../../support/base/metrics-folder.js';
import { scriptedApi, type ScriptedApi } from '../../support/http/scripted-api.js';
import { cli } from '../../support/programs/cli-in-process.js';
import { FleetRig, QUEUE } from '../../support/rigs/fleet-rig.js';

describe.skipIf(redisServer === undefined)('a fleet', () => {
  let rig: FleetRig;
  let monitor: ScriptedApi;
  beforeEach(async () => {
    rig = await FleetRig.start({ users: 1 });
    monitor = await scriptedApi({ status: 200 });
  });
  afterEach(async () => {
    await rig[Symbol.asyncDispose]();
    await monitor[Symbol.asyncDispose]();
  });

  const place = () => ['--redis', rig.redis.url, '--queue', QUEUE, '--out', rig.out];
  const service = () => ['--base-url', rig.emulator.baseUrl];
  const put = (run: string, ...more: string[]) =>
    cli([
      'enqueue',
      ...place(),
      ...service(),
      '--run',
      run,
      ...rig.users.flatMap((user) => ['--user', user]),
      ...more,
    ]);
  const work = (...more: string[]) => {
    const monitors = ['--ping-url', monitor.url, '--metrics-dir', rig.directory];
    const words = ['worker', ...place(), ...service(), '--rate', '1000', ...monitors];
    return cli([
      ...words,
      '--exit-when-idle',
      '200ms',
      '--log-level',
      'warn',
      '--log-format',
      'text',
      ...more,
    ]);
  };
  const gauge = async () =>
    /^jobvault_run_users\{.*state="at_the_cap".*\} (\d+)$/m.exec(
      await metricsIn(rig.directory),
    )?.[1];

  it('tells users near the cap by summary, log, ping and metrics, until they have room', async () => {
    const { state } = rig.emulator;
    const [ann = ''] = rig.users;
    for (let n = state.sessionIds(ann).length; n < 140; n++)
      state.addSession(ann, { id: `s-${n}` }, []);
    const text = `1 user with 140 conversations or more at the service, which keeps 150 and forgets the oldest: ${ann}; to make room: jobvault prune ${rig.out} --free-slots 11 --dry-run`;
    for (const night of ['first', 'unchanged']) {
      const waiting = put(night, '--wait', '--log-format', 'text');
      await vi.waitFor(async () => {
        expect((await rig.status()).runs.map(({ run }) => run)).toContain(night);
      }, 30_000);
      const { exitCode, stdout, stderr } = await work();
      const { stdout: waited, stderr: warned } = await waiting;
      expect([night, exitCode]).toEqual([night, 0]);
      expect(stdout.replaceAll(/\s+/g, ' ')).toContain(`at the cap ${text}`);
      expect(stderr).toContain(`WARN: ${text}`);
      expect(monitor.seen.at(-1)?.body).toContain('1 user with 140 conversations or more');
      expect(await gauge()).toBe('1');
      expect(await rig.finished(night)).toMatchObject({ at_the_cap: [ann] });
      expect(waited.replaceAll(/\s+/g, ' ')).toContain(`at the cap ${text}`);
      expect(warned).toContain(`WARN: ${text}`);
    }
    state.deleteSession(ann, 's-139');
    await put('room');
    const { stdout, stderr } = await work('--json');
    expect([stderr, JSON.parse(stdout)]).toMatchObject(['', { at_the_cap: [] }]);
    expect(await gauge()).toBe('0');
  });
});

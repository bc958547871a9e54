/** A service that takes `Ana` for `ana`: a hold on one spelling binds the sessions, whoever asks for them. */
import { readFile, writeFile } from 'node:fs/promises';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { cli } from '../../support/programs/cli-in-process.js';
import { PruneRig } from '../../support/rigs/prune-rig.js';
import { fault } from '../../support/base/fault.js';

let rig: PruneRig;
/** The archive has the sessions under `ana`, under `Ana`, and under an address of the same person. */
beforeEach(async () => {
  rig = await PruneRig.start();
  const aliases: Readonly<Record<string, string>> = { Ana: 'ana', 'ana@example.org': 'ana' };
  rig.emulator.faults.resolveUser = (id) => aliases[id] ?? id;
  rig.addSessions('ana', ['a1', 'a2']);
  await rig.rig.archived({ users: ['ana', 'Ana', 'ana@example.org'] });
  await writeFile(rig.path('api-key'), 'demo-key', { mode: 0o600 });
  await writeFile(rig.path('holds.txt'), 'ana\n');
});
afterEach(() => rig[Symbol.asyncDispose]());

const ASKED = ['ana', 'Ana', 'ana@example.org'];
const service = (): string[] => [
  ...['--base-url', rig.emulator.baseUrl, '--api-key-file', rig.path('api-key')],
  ...['--rate', '10000'],
];

const inLog = async (): Promise<string[]> => {
  await cli(['hold', 'add', rig.out, '--user', 'ana', '--reason', 'Matter 7']);
  return [];
};
const inFile = (): Promise<string[]> => Promise.resolve(['--hold-file', rig.path('holds.txt')]);
const WAYS = [
  ['in the log', inLog],
  ['in a file', inFile],
] as const;
const REASONS = {
  Ana: 'its user is on hold as "ana"',
  'ana@example.org': 'the session is on hold: the archive has seen it under "A',
};

it.each(WAYS)(
  'prune deletes nothing for a hold %s, and says so',
  fault('F-74'),
  async (_way, hold) => {
    const words = ['prune', rig.out, '--all', '--yes', ...service(), ...(await hold())];
    for (const user of ASKED) {
      const { exitCode, stdout } = await cli([...words, '--user', user]);
      // whoever names the user asks for just what is held
      expect([user, exitCode, rig.deletesSent]).toEqual([user, 7, 0]);
      expect(stdout).toMatch(/: not deleted: .* is on hold/);
      if (user === 'Ana') expect(stdout).toContain(REASONS.Ana);
      if (user === 'ana@example.org') expect(stdout).toContain('the archive has seen it under "');
    }
    expect((await cli(words)).exitCode).toBe(0);
    expect(rig.left()).toEqual(['a1', 'a2']);
  },
);

it.each(WAYS)(
  'export --delete-archived deletes nothing for a hold %s',
  fault('F-74'),
  async (_way, hold) => {
    const words = ['export', '--out', rig.out, '--delete-archived', '--all', '--yes', ...service()];
    const more = await hold();
    for (const user of ASKED.slice(1)) {
      expect((await cli([...words, '--user', user, ...more])).exitCode).toBe(0);
    }
    expect(rig.left()).toEqual(['a1', 'a2']);
  },
);

it.each(WAYS)(
  'sessions delete deletes nothing for a hold %s',
  fault('F-74'),
  async (_way, hold) => {
    const more = [...service(), '--yes', '--out', rig.out, ...(await hold())];
    for (const user of ASKED) {
      const { exitCode, stderr } = await cli(['sessions', 'delete', 'a1', '--user', user, ...more]);
      expect([exitCode, stderr]).toEqual([
        7,
        expect.stringMatching(/^Nothing was deleted: .*hold/),
      ]);
    }
    expect(rig.left()).toEqual(['a1', 'a2']);
  },
);

it.each(WAYS)('erase takes nothing for a hold %s', fault('F-74'), async (_way, hold) => {
  const words = ['erase', rig.out, '--yes', ...(await hold())];
  for (const user of ASKED) {
    const { exitCode, stderr } = await cli([...words, '--user', user]);
    expect([exitCode, stderr]).toEqual([7, expect.stringMatching(/on hold.*nothing was changed/)]);
  }
});

it.each(WAYS)('expire takes nothing for a hold %s', fault('F-74'), async (_way, hold) => {
  const words = ['expire', rig.out, '--older-than', '1s', '--yes', ...(await hold())];
  const { exitCode, stdout } = await cli([...words, '--json']);
  expect([exitCode, (JSON.parse(stdout) as { expired: number }).expired]).toEqual([0, 0]);
});

it(
  'a saved plan takes nothing that its holds bind, or that was held since',
  fault('F-74'),
  async () => {
    const file = rig.path('plan.json');
    const plan = ['prune', rig.out, '--all', '--user', 'Ana', '--save-plan', file];
    await cli([...plan, '--hold-file', rig.path('holds.txt')]);
    expect(JSON.parse(await readFile(file, 'utf8'))).toMatchObject({ sessions: [] });
    await cli(plan);
    expect(JSON.parse(await readFile(file, 'utf8'))).toMatchObject({ sessions: [{}, {}] });
    await inLog();
    const { exitCode } = await cli(['prune', rig.out, '--plan', file, '--yes', ...service()]);
    expect([exitCode, rig.deletesSent]).toEqual([7, 0]);
  },
);

it('a hold is released as it was set: another spelling is told', async () => {
  await inLog();
  const release = ['hold', 'release', '--yes', rig.out, '--reason', 'closed', '--user'];
  const { exitCode, stderr } = await cli([...release, 'Ana']);
  expect([exitCode, stderr]).toEqual([
    2,
    expect.stringContaining('it is as "ana": a hold is released as it was set'),
  ]);
  expect((await cli([...release, 'ana'])).exitCode).toBe(0);
});

it.each(WAYS)(
  "a hold %s on a renamed user's old id keeps all sessions, also those never seen under it",
  fault('F-123'),
  async (_way, hold) => {
    rig.emulator.faults.resolveUser = (id) => (id === 'u-7' ? 'ana' : id);
    rig.addSessions('ana', ['new']);
    await rig.rig.export({ users: ['u-7'] });
    const words = ['prune', rig.out, '--all', '--yes', ...service(), ...(await hold())];
    const { exitCode, stdout } = await cli([...words, '--user', 'u-7']);
    expect([exitCode, rig.deletesSent]).toEqual([7, 0]);
    expect(stdout).toContain('its user counts as the same person as "');
    expect(rig.left()).toEqual(['a1', 'a2', 'new']);
  },
);

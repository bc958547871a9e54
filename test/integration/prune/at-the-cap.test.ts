/** Whose conversations the service soon forgets: of what it was seen to have, what jobvault has deleted since counts no more. */
import { writeFile } from 'node:fs/promises';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { PruneCli } from '../../support/programs/prune-cli-run.js';
import { PruneRig } from '../../support/rigs/prune-rig.js';
import { cli as cliInProcess, cliJson } from '../../support/programs/cli-in-process.js';
import { metricsIn } from '../../support/base/metrics-folder.js';

let rig: PruneRig;
let cli: PruneCli;

beforeEach(async () => {
  rig = await PruneRig.start();
  cli = new PruneCli(rig);
  for (let n = 0; n < 141; n++) rig.addSession('ann', `a${n}`, { jobs: 1 });
  rig.addSession('bob', 'b1', { jobs: 1 });
});
afterEach(() => rig[Symbol.asyncDispose]());

async function capped(): Promise<unknown> {
  const { at_the_cap: names } = await cliJson<{ at_the_cap: string[] }>(['status', rig.out]);
  const { stdout } = await cliInProcess(['status', rig.out]);
  expect(/^ {2}at the cap +1 user with 140 /m.test(stdout)).toBe(names.length > 0);
  return names;
}

const metric = async () =>
  /^jobvault_run_users\{.*state="at_the_cap".*\} (\d)$/m.exec(await metricsIn(rig.path('.')))?.[1];

it('status counts a user at the cap no more once a prune has deleted enough since the listing', async () => {
  await rig.rig.export();
  expect(await capped()).toEqual(['ann']);
  await rig.pruned({ rules: { freeSlots: 10, users: ['ann'] } });
  // 140 are left
  expect(await capped()).toEqual(['ann']);
  await rig.pruned({ rules: { freeSlots: 11, users: ['ann'] } });
  expect(await capped()).toEqual([]);
});

it('the command that status, summary and log propose makes room enough', async () => {
  const told = (text: string) => /140 .*: ann; to make room: jobvault (.*) --dry-run/.exec(text);
  const { stdout, stderr } = await cli.export();
  const proposed = told(stdout)?.[1] ?? '';
  expect(proposed).toMatch(/^prune .* --free-slots \d+$/);
  const { stdout: status } = await cliInProcess(['status', rig.out]);
  expect([told(status)?.[1], told(stderr)?.[1]]).toEqual([proposed, proposed]);
  const pruned = await cli.run([...proposed.split(' '), ...cli.service, '--yes']);
  expect(pruned).toMatchObject({ exitCode: 0 });
  expect(await capped()).toEqual([]);
  const after = await cli.export();
  expect([told(after.stdout), after.stderr]).toEqual([null, '']);
});

it('the status of a pseudonymised copy proposes no deletion', async () => {
  await rig.rig.export();
  const [key, copy] = [rig.path('copy-key'), rig.path('copy')];
  await writeFile(key, 'k'.repeat(40), { mode: 0o600 });
  const copied = await cliInProcess(['copy', rig.out, copy, '--pseudonymise', key]);
  expect(copied).toMatchObject({ exitCode: 0 });
  const { stdout } = await cliInProcess(['status', copy]);
  expect(stdout).toMatch(/^ {2}at the cap +1 user with 140 .*: \S+$/m);
});

it('who has room again after the deletions of an export is not told', async () => {
  const ended = await cli.export('--delete-archived', '--free-slots', '11', '--yes');
  expect(ended).toMatchObject({ exitCode: 0, stderr: '' });
  expect(ended.stdout).not.toContain('to make room');
});

it('an export that deletes counts users at the cap as of its end, for metrics and summary', async () => {
  const monitors = ['--metrics-dir', rig.path('.')];
  expect((await cli.export(...monitors)).exitCode).toBe(0);
  expect(await metric()).toBe('1');
  const deleting = ['--delete-archived', '--free-slots', '12', '--yes', '--json'];
  const ended = await cli.export(...monitors, ...deleting);
  expect(JSON.parse(ended.stdout)).toMatchObject({ at_the_cap: [], deletions: { deleted: 3 } });
  expect(await metric()).toBe('0');
});

it('who is at the cap under two spellings is one user, whose newest listing counts', async () => {
  rig.emulator.faults.resolveUser = (id) => id.toLowerCase();
  const told = async (...users: string[]) => {
    const asked = users.flatMap((user) => ['--user', user]);
    const words = ['export', '--out', rig.out, ...cli.service, ...asked, '--json'];
    const { at_the_cap: names } = JSON.parse((await cli.run(words)).stdout) as {
      at_the_cap: string[];
    };
    return names;
  };
  expect(await told('ann')).toEqual(['ann']);
  expect(await told('Ann')).toEqual(['Ann']);
  expect(await capped()).toHaveLength(1);
  expect(await told('ann', 'Ann')).toHaveLength(1);
  expect(await capped()).toHaveLength(1);
  for (const session of rig.state.sessionIds('ann').slice(0, 9))
    rig.state.deleteSession('ann', session);
  expect(await told('Ann')).toEqual([]);
  expect(await capped()).toEqual([]);
});

it('an export tells, as status does, also who is at the cap and has left the users file', async () => {
  const monitors = ['--metrics-dir', rig.path('.'), '--json'];
  expect((await cli.export()).exitCode).toBe(0);
  const file = rig.path('users.csv');
  await writeFile(file, 'bob\n');
  const words = ['export', '--out', rig.out, ...cli.service, ...monitors];
  const night = await cli.run([...words, '--users-file', file, '--min-users', '40%']);
  expect(JSON.parse(night.stdout)).toMatchObject({ at_the_cap: ['ann'] });
  expect(night.stderr).toContain('forgets the oldest: ann');
  expect([await metric(), await capped()]).toEqual(['1', ['ann']]);
  const named = await cli.run([...words, '--user', 'bob']);
  expect(JSON.parse(named.stdout)).toMatchObject({ at_the_cap: [] });
  const pruned = await cli.prune('--user', 'ann', '--free-slots', '11', '--yes');
  expect(pruned.exitCode).toBe(0);
  const after = await cli.run([...words, '--users-file', file, '--min-users', '40%']);
  expect(JSON.parse(after.stdout)).toMatchObject({ at_the_cap: [] });
});

it('who was at the cap stays so in a night in which the listing fails', async () => {
  const monitors = ['--metrics-dir', rig.path('.')];
  expect((await cli.export(...monitors)).exitCode).toBe(0);
  rig.emulator.faults.api = [
    {
      operations: ['listSessions'],
      userId: 'ann',
      answer: { kind: 'error', status: 200, code: 300002 },
    },
  ];
  const night = await cli.export(...monitors, '--json');
  expect(night.exitCode).toBe(3);
  expect(JSON.parse(night.stdout)).toMatchObject({ at_the_cap: ['ann'] });
  expect([await metric(), await capped()]).toEqual(['1', ['ann']]);
});

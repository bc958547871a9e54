/** Whatever deletes or erases shows what goes and asks; `--yes` answers beforehand, and nothing else does. */
import { PassThrough } from 'node:stream';
import { writeFile } from 'node:fs/promises';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { runCli } from '../../../src/cli/run-cli.js';
import { FakeClock } from '../../support/base/fake-clock.js';
import { cli, cliOnTerminal } from '../../support/programs/cli-in-process.js';
import { testTerminal } from '../../support/programs/test-terminal.js';
import { PruneRig } from '../../support/rigs/prune-rig.js';
import { fault } from '../../support/base/fault.js';

let rig: PruneRig;
beforeEach(async () => {
  rig = await PruneRig.start();
  rig.state.putDataset({
    ...{ id: 'd1', project: 'demo', creator: 'ann', name: 'Sales', description: '', summary: '' },
    ...{ exploration_questions: [], keywords: [] },
    ...{ synched_count: 1, synching_count: 0, invalid_count: 0 },
  });
  rig.addSessions('ann', ['a1', 'a2']);
  rig.addSession('bob', 'b1');
  await rig.rig.archived();
});
afterEach(() => rig[Symbol.asyncDispose]());

const KEY = { JOBVAULT_API_KEY: 'demo-key' };
const service = (): string[] => ['--base-url', rig.emulator.baseUrl, '--rate', '10000'];

/** Each deletes or erases something, once somebody says yes. */
const COMMANDS: [string, () => string[]][] = [
  ['prune', () => ['prune', rig.out, '--all', ...service()]],
  [
    'export --delete-archived',
    () => [
      ...['export', '--out', rig.out, '--user', 'ann', '--delete-archived', '--all'],
      ...service(),
    ],
  ],
  ['erase', () => ['erase', rig.out, '--user', 'ann', '--by', 'Grace']],
  ['expire', () => ['expire', rig.out, '--older-than', '1s', '--by', 'Grace']],
  [
    'sessions delete',
    () => ['sessions', 'delete', 'a1', '--user', 'ann', '--out', rig.out, ...service()],
  ],
  ['datasets delete', () => ['datasets', 'delete', 'd1', '--user', 'ann', ...service()]],
];

/** The archive's log, and what the service has. */
const everything = async () => ({
  commits: await rig.rig.files('_commits'),
  sessions: rig.left(),
  datasets: rig.state.datasets().map(({ id }) => id),
});

describe.each(COMMANDS)('%s', (_name, words) => {
  it(
    'does nothing without a terminal and without --yes: exit code 2, before the first request',
    fault('F-81'),
    async () => {
      const before = await everything();
      const requests = rig.emulator.stats.totalRequests;
      const { exitCode, stdout, stderr } = await cli(words());
      expect([exitCode, stdout]).toEqual([2, '']);
      expect(stderr).toContain('there is no terminal to ask at; pass --yes, or --dry-run to see');
      expect(rig.emulator.stats.totalRequests).toBe(requests);
      expect(await everything()).toEqual(before);
    },
  );

  it(
    'takes no yes from the environment, and none from the configuration file',
    fault('F-81'),
    async () => {
      const before = await everything();
      expect((await cli(words(), { ...KEY, JOBVAULT_YES: 'true' })).exitCode).toBe(2);
      const config = rig.path('nightly.yaml');
      await writeFile(config, 'yes: true\n');
      const { exitCode, stderr } = await cli([...words(), '--config', config]);
      expect([exitCode, stderr]).toEqual([2, expect.stringContaining('unknown key "yes"')]);
      expect(await everything()).toEqual(before);
    },
  );

  it('shows with --dry-run what would go, asks nobody and changes nothing', async () => {
    const before = await everything();
    const { exitCode, stdout, stderr } = await cliOnTerminal([...words(), '--dry-run'], {
      environment: { ...KEY, NO_COLOR: '1' },
    });
    expect(exitCode, stderr).toBe(0);
    expect(stdout).toContain('Plan, nothing is ');
    expect(stderr).not.toContain('[y/N]');
    expect(await everything()).toEqual(before);
  });

  it('asks on a terminal, and takes anything but a yes for a no: exit code 7', async () => {
    const before = await everything();
    const { exitCode, stderr } = await cliOnTerminal(words(), { stdin: 'maybe\n' });
    expect([exitCode, stderr.match(/\[y\/N\]/g)]).toEqual([7, ['[y/N]']]);
    const { commits, ...service } = await everything();
    // an export commits before it asks
    expect({ commits: commits.slice(0, before.commits.length), ...service }).toEqual(before);
  });

  it('goes on after a yes, and with --yes asks nobody', async () => {
    const before = await everything();
    const asked = await cliOnTerminal(words(), { stdin: 'yes\n' });
    expect(asked.exitCode, asked.stderr).toBe(0);
    expect(await everything()).not.toEqual(before);
  });

  it('shows with --yes what goes, and on the log for programs in one line', async () => {
    const shown = /(to delete|Plan, carried out now|Delete (session|dataset)).*yes \(--yes\)/s;
    const before = await everything();
    const { exitCode, stderr } = await cliOnTerminal([...words(), '--yes'], { stdin: '' });
    expect([exitCode, stderr]).toEqual([0, expect.stringMatching(shown)]);
    expect(await everything()).not.toEqual(before);
  });

  it('says nothing with --yes where only warnings are wanted', async () => {
    const { exitCode, stderr } = await cli([...words(), '--yes', '--log-level', 'warn']);
    expect([exitCode, stderr]).toEqual([0, '']);
  });

  it('needs no terminal with --yes', async () => {
    const before = await everything();
    const { exitCode, stderr } = await cli([...words(), '--yes']);
    expect([exitCode, stderr]).toEqual([0, expect.not.stringContaining('[y/N]')]);
    expect(await everything()).not.toEqual(before);
  });
});

/** On a terminal at which nobody sits; resolves with the question's surroundings, and the end of the run. */
function unattended(words: readonly string[], onQuestion: () => Promise<void>) {
  const clock = new FakeClock();
  const terminal = testTerminal({ arguments: words, environment: KEY, isTTY: true, clock });
  const stdin = Object.assign(new PassThrough(), { isTTY: true });
  let questions = 0;
  const stderr = {
    ...terminal.stderr,
    write: (text: string) => {
      terminal.stderr.write(text);
      if (!text.includes('[y/N]')) return;
      questions++;
      void onQuestion().then(() => clock.advance(10 * 60_000));
    },
  };
  return runCli({ ...terminal, stdin, stderr }).then((exitCode) => ({
    exitCode,
    questions,
    ...terminal.told,
  }));
}

it.each(COMMANDS)(
  'a question that nobody answers is a no after ten minutes, in %s',
  fault('F-81'),
  async (_name, words) => {
    const before = await everything();
    const end = await unattended(words(), () => Promise.resolve());
    expect([end.exitCode, end.questions, rig.deletesSent]).toEqual([7, 1, 0]);
    expect(end.stderr).toContain('No answer for 10 minutes: nothing is done.');
    const { commits, ...service } = await everything();
    // an export commits before it asks
    expect({ commits: commits.slice(0, before.commits.length), ...service }).toEqual(before);
  },
);

it('an export asks an unanswered question once; it has committed and holds no lease meanwhile', async () => {
  rig.addSession('ann', 'a3');
  const commits = (await rig.rig.files('_commits')).length;
  const seen: unknown[] = [];
  const words = ['export', '--out', rig.out, '--user', 'ann', '--user', 'bob', ...service()];
  const end = await unattended([...words, '--delete-archived', '--all'], async () => {
    seen.push(await rig.rig.files('_leases'));
    seen.push((await rig.rig.files('_commits')).length > commits);
  });
  expect([end.exitCode, end.questions, rig.deletesSent]).toEqual([7, 1, 0]);
  expect(seen).toEqual([[], true]);
  expect(end.stdout).toContain('Nothing was deleted: not confirmed for 4 conversations of');
});

/** A person at a terminal is shown what goes, and asked. */
import { readdir } from 'node:fs/promises';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { oneLine, PruneCli } from '../../support/programs/prune-cli-run.js';
import { cliOnTerminal } from '../../support/programs/cli-in-process.js';
import { outcomes, PruneRig } from '../../support/rigs/prune-rig.js';

let rig: PruneRig;
let cli: PruneCli;
beforeEach(async () => {
  rig = await PruneRig.start();
  cli = new PruneCli(rig);
  rig.addSessions('ann', ['a1', 'a2']);
  rig.addSession('bob', 'b1');
  await rig.rig.archived();
});
afterEach(() => rig[Symbol.asyncDispose]());

/** A terminal folds long lines. */
const unfolded = (text: string): string => text.replaceAll(/\s+/g, ' ');

const answering = (stdin: string, ...words: string[]) => cli.onTerminal(stdin, ...words);

it('prune on a terminal shows what goes, and deletes after a yes', async () => {
  const { exitCode, stderr, stdout } = await answering('y\n', '--all', '--json');
  expect(unfolded(stderr)).toMatch(
    /user ann, session a1 "Session a1": to delete \(2 questions\): its newest job is from \d{4}-/,
  );
  expect(stderr).toContain(
    'Delete 3 conversations with 6 questions from the service permanently? [y/N] ',
  );
  expect([exitCode, rig.left()]).toEqual([0, []]);
  expect(oneLine({ stdout })).toMatchObject({ status: 'complete', deletions: { deleted: 3 } });
});

it.each(['n\n', '\n', ''])(
  'prune on a terminal deletes nothing after %j: exit code 7',
  async (answer) => {
    const { exitCode, stdout } = await answering(answer, '--all', '--metrics-dir', rig.path('.'));
    expect([exitCode, rig.deletesSent]).toEqual([7, 0]);
    // what the night has left stays: status and alerts would tell a person's no as a failed prune
    expect((await readdir(rig.path('.'))).filter((name) => name.endsWith('.prom'))).toEqual([]);
    expect(unfolded(stdout)).toMatch(/^Nothing was deleted: not confirmed for 3 conversations of /);
  },
);

it('prune on a terminal asks nobody with --yes, nor where nothing would go', async () => {
  const held = await cliOnTerminal([
    ...['prune', rig.out, ...cli.service, '--session', 'a1', '--yes'],
  ]);
  expect([held.exitCode, rig.left()]).toEqual([0, ['a2', 'b1']]);
  expect(held.stderr).not.toContain('[y/N]');
  expect(unfolded(held.stderr)).toMatch(/session a1 "Session a1": to delete .* yes \(--yes\)/);
  const nothing = await answering('', '--older-than', '3650d');
  expect([nothing.exitCode, nothing.stderr]).toEqual([0, '']);
});

it('a yes given beforehand also deletes what was archived again since the plan', async () => {
  const { summary } = await rig.prune({
    isAgreedBeforehand: true,
    confirm: async () => {
      rig.grow('ann', 'a1');
      await rig.rig.export();
      return true;
    },
  });
  expect(outcomes(summary)).toEqual({ a1: 'deleted', a2: 'deleted', b1: 'deleted' });
});

it('prune on a terminal deletes only what was shown, not what another run archives meanwhile', async () => {
  const { summary } = await rig.prune({
    confirm: async () => {
      rig.addSession('ann', 'a3');
      rig.grow('ann', 'a1');
      await rig.rig.export();
      return true;
    },
  });
  expect(outcomes(summary)).toEqual({
    a1: 'outdated',
    a2: 'deleted',
    a3: 'outdated',
    b1: 'deleted',
  });
});

/** `sessions delete` and `datasets delete` of a service, or a proxy before it, that says done and does nothing. */
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { cli } from '../../support/programs/cli-in-process.js';
import { PruneRig } from '../../support/rigs/prune-rig.js';

let rig: PruneRig;
beforeEach(async () => {
  rig = await PruneRig.start();
  rig.state.putDataset({
    ...{ id: 'd1', project: 'demo', creator: 'ann', name: 'Sales', description: '', summary: '' },
    ...{ exploration_questions: [], keywords: [] },
    ...{ synched_count: 1, synching_count: 0, invalid_count: 0 },
  });
  rig.addSession('ann', 'a1');
  await rig.rig.export();
});
afterEach(() => rig[Symbol.asyncDispose]());

const deleting = (...words: string[]) =>
  cli([...words, '--user', 'ann', '--base-url', rig.emulator.baseUrl, '--rate', '999', '--yes']);

describe.each([
  ['deleteSession', () => ['sessions', 'delete', 'a1', '--out', rig.out]],
  ['deleteDataset', () => ['datasets', 'delete', 'd1']],
] as const)('%s', (operation, words) => {
  it('is not called done where the thing is still there: exit code 7', async () => {
    const done = { kind: 'body', status: 200, body: '{"code":0,"data":{}}' } as const;
    rig.emulator.faults.api = [{ operations: [operation], first: 1, answer: done }];
    const { exitCode, stdout, stderr } = await deleting(...words());
    expect([exitCode, stdout]).toEqual([7, '']);
    expect(stderr).toMatch(/Not deleted: (a1|d1) is still there, though the service says done\./);
  });

  it('is called done where the thing is gone', async () => {
    const { exitCode, stdout } = await deleting(...words());
    expect([exitCode, stdout]).toEqual([0, expect.stringMatching(/^Deleted (a1|d1)\.\n$/)]);
  });
});

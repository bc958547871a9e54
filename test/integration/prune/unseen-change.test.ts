/** A change where an unchanged run does not look: the archive misses it, and no deletion rests on that. */
import { afterEach, beforeEach, expect, it } from 'vitest';
import { oneLine, PruneCli } from '../../support/programs/prune-cli-run.js';
import { outcomes, PruneRig } from '../../support/rigs/prune-rig.js';
import { oldJob } from '../../support/programs/pieced-export.js';

let rig: PruneRig;
beforeEach(async () => {
  rig = await PruneRig.start();
  rig.addSession('ann', 'a1', { jobs: 30 });
  await rig.rig.export({ pageSize: 10 });
  rig.grow('ann', 'a1');
  await rig.rig.export({ pageSize: 10 });
  const [, ...others] = rig.state.jobIds('ann', 'a1');
  const kept = others.map((job) => rig.state.jobText('ann', 'a1', job));
  rig.state.addSession('ann', { id: 'a1', name: 'Session a1' }, [oldJob(rig.oldJobId()), ...kept]);
});
afterEach(() => rig[Symbol.asyncDispose]());

it('a new job behind the pages that are read is not seen by an export', async () => {
  const again = await rig.rig.export({ pageSize: 10 });
  expect(again).toMatchObject({ status: 'complete', sessions: { unchanged: 1 } });
});

it('a new job behind the pages that are read is found by the final check, and nothing goes', async () => {
  await rig.rig.export({ pageSize: 10 });
  expect(outcomes(await rig.pruned())).toEqual({ a1: 'grown' });
  const words = ['--page-size', '10', '--delete-archived', '--all', '--yes', '--json'];
  expect(oneLine(await new PruneCli(rig).export(...words))).toMatchObject({
    sessions: { unchanged: 1 },
    deletions: { deleted: 0, refused: 1 },
  });
  expect([rig.deletesSent, rig.left()]).toEqual([0, ['a1']]);
  await rig.rig.export({ full: true });
  // the archive has a job more than the service now
  expect(outcomes(await rig.pruned())).toEqual({ a1: 'vanished' });
});

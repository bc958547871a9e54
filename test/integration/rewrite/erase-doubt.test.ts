/** A session in doubt names the other one, which may be erased. */
import { expect, it } from 'vitest';
import { oldJob } from '../../support/programs/pieced-export.js';
import { PruneRig } from '../../support/rigs/prune-rig.js';
import { eraseFromArchive } from '../../support/http/one-call.js';
import { grepArchive } from '../../support/store/grep-archive.js';
import { fault } from '../../support/base/fault.js';

it('A doubt does not name an erased session any more, and stays', fault('F-76'), async () => {
  await using rig = await PruneRig.start();
  rig.addSession('ann', 'session-of-ann');
  const texts = rig.state.jobIds('ann', 'session-of-ann').map((job) => oldJob(job));
  rig.state.addSession('ben', { id: 'b1' }, texts);
  await rig.rig.export();
  await eraseFromArchive({ archive: rig.out, users: ['ann'], clock: rig.rig.clock });
  expect(await grepArchive(rig.out, ['session-of-ann'])).toEqual([]);
  expect((await rig.rig.verify()).problems).toEqual([]);
  rig.state.deleteSession('ann', 'session-of-ann');
  const { status, gaps } = await rig.rig.export();
  expect({ status, gaps }).toMatchObject({
    status: 'gaps',
    gaps: [{ session: 'b1', status: 'doubtful' }],
  });
});

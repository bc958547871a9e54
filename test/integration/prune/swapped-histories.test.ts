/** Two sessions of which each is answered with the history of the other: nothing is twice, and both are wrong. */
import { afterEach, beforeEach, expect, it } from 'vitest';
import { outcomes, PruneRig } from '../../support/rigs/prune-rig.js';

let rig: PruneRig;
beforeEach(async () => {
  rig = await PruneRig.start();
  rig.addSession('ann', 'a1');
  rig.addSession('ben', 'b1', { jobs: 3 });
  await rig.rig.export();
});
afterEach(() => rig[Symbol.asyncDispose]());

function textsOf(user: string, session: string): string[] {
  return rig.state.jobIds(user, session).map((job) => rig.state.jobText(user, session, job));
}

it.each([{}, { full: true }])(
  'are deleted neither, for the export has noticed that none of their jobs came back (%j)',
  async (options) => {
    const [ofAnn, ofBen] = [textsOf('ann', 'a1'), textsOf('ben', 'b1')];
    rig.state.addSession('ann', { id: 'a1' }, ofBen);
    rig.state.addSession('ben', { id: 'b1' }, ofAnn);
    expect(await rig.rig.export(options)).toMatchObject({ status: 'gaps' });
    expect(outcomes(await rig.pruned())).toEqual({ a1: 'incomplete', b1: 'incomplete' });
    expect(rig.left().sort()).toEqual(['a1', 'b1']);
  },
);

it('are deleted neither before that is archived: the final check finds other jobs', async () => {
  const [ofAnn, ofBen] = [textsOf('ann', 'a1'), textsOf('ben', 'b1')];
  rig.state.addSession('ann', { id: 'a1' }, ofBen);
  rig.state.addSession('ben', { id: 'b1' }, ofAnn);
  expect(outcomes(await rig.pruned())).toEqual({ a1: 'grown', b1: 'grown' });
  expect(rig.left().sort()).toEqual(['a1', 'b1']);
});

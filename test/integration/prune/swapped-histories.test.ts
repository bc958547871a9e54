/** Two sessions of which each is answered with the history of the other: nothing is twice, and both are wrong. */
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { fault } from '../../support/base/fault.js';
import { outcomes, PruneRig } from '../../support/rigs/prune-rig.js';

let rig: PruneRig;
beforeEach(async () => {
  rig = await PruneRig.start();
  rig.addSession('ann', 'a1');
  rig.addSession('ben', 'b1', { jobs: 3 });
  await rig.rig.archived();
});
afterEach(() => rig[Symbol.asyncDispose]());

function textsOf(user: string, session: string): string[] {
  return rig.state.jobIds(user, session).map((job) => rig.state.jobText(user, session, job));
}

it.each([{}, { full: true }])(
  'are deleted neither, for the export has noticed that none of their jobs came back (%j)',
  fault('F-91'),
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

/** From now on each of the two is answered with the history of the other. */
function swap(ofA1 = 'ann', ofB1 = 'ben'): void {
  const [a1, b1] = [textsOf(ofA1, 'a1'), textsOf(ofB1, 'b1')];
  rig.state.addSession(ofA1, { id: 'a1' }, b1);
  rig.state.addSession(ofB1, { id: 'b1' }, a1);
}

const doubtsOf = ({ gaps }: Awaited<ReturnType<typeof rig.rig.export>>): string[] =>
  gaps
    .map(({ session, status, shared_with: other, lost_below: lost }) =>
      [session, status, other ?? '-', lost ?? 0].join(' '),
    )
    .sort();

const DOUBTS = ['a1 doubtful - 2', 'a1 doubtful b1 0', 'b1 doubtful a1 0'];

describe('where one of the two is new to the archive', () => {
  beforeEach(async () => {
    await rig[Symbol.asyncDispose]();
    rig = await PruneRig.start();
    rig.addSession('ann', 'a1');
    await rig.rig.archived();
    rig.addSession('ben', 'b1', { jobs: 3 });
    swap();
  });

  it(
    'both are in doubt once both are read: the new one shows what the other has lost',
    fault('F-91'),
    async () => {
      expect(doubtsOf(await rig.rig.export())).toEqual(DOUBTS);
      expect(outcomes(await rig.pruned())).toEqual({ a1: 'incomplete', b1: 'incomplete' });
      swap();
      // the jobs of the new one come to light in its own session, and are withdrawn from the other the night after
      expect((await rig.rig.export({ retryGaps: true })).status).toBe('gaps');
      expect((await rig.rig.export()).status).toBe('complete');
    },
  );

  it('likewise where the new one is read first', async () => {
    const reversed = { users: ['ben', 'ann'], concurrency: 1 };
    expect(doubtsOf(await rig.rig.export(reversed))).toEqual(DOUBTS);
  });

  it(
    'it stays where it was read alone: the other, asked now, shows nothing of its own',
    fault('F-91'),
    async () => {
      expect((await rig.rig.export({ users: ['ben'] })).status).toBe('complete');
      expect(outcomes(await rig.pruned())).toMatchObject({ b1: 'doubtful' });
      expect(rig.left().sort()).toEqual(['a1', 'b1']);
    },
  );
});

describe('where both are new, and the swap begins during the run', () => {
  beforeEach(async () => {
    await rig[Symbol.asyncDispose]();
    rig = await PruneRig.start();
  });

  // one of the two users is read first, in an order of the run's own
  it.each([
    ['ann', 'ben'],
    ['ben', 'ann'],
  ])(
    'both are in doubt, later readings count, and neither is ever deleted: a1 of %s, b1 of %s',
    fault('F-91'),
    async (ofA1, ofB1) => {
      rig.addSession(ofA1, 'a1');
      rig.addSession(ofB1, 'b1', { jobs: 3 });
      const read = new Set<unknown>();
      rig.emulator.faults.beforeRequest = ({ operation, pathId }) => {
        if (operation !== 'getHistory' || read.size === 2) return;
        read.add(pathId);
        if (read.size === 2) swap(ofA1, ofB1);
      };
      const { gaps } = await rig.rig.export({ concurrency: 1, checkpointBytes: 1 });
      expect(gaps.map(({ session }) => session).sort()).toEqual(['a1', 'b1']);
      expect(outcomes(await rig.pruned())).toEqual({ a1: 'incomplete', b1: 'incomplete' });
      for (let night = 2; night <= 4; night++) {
        await rig.rig.export();
        await rig.pruned();
        expect(rig.left().sort()).toEqual(['a1', 'b1']);
      }
      swap(ofA1, ofB1);
      for (let night = 5; night <= 7; night++) {
        await rig.rig.export();
        await rig.pruned();
      }
      expect((await rig.rig.export()).status).toBe('complete');
      expect(rig.left().sort()).toEqual(['a1', 'b1']);
      expect((await rig.rig.verify()).problems).toEqual([]);
    },
  );
});

it('are in doubt, then archived as the service shows them each night, but never deleted', async () => {
  swap();
  for (let night = 1; night <= 4; night++) {
    await rig.rig.export();
    await rig.pruned();
    expect(rig.left().sort()).toEqual(['a1', 'b1']);
  }
});

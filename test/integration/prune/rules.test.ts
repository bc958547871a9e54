/** What a rule selects, and plans that are kept as files. */
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { plainHolds } from '../../support/store/plain-holds.js';
import { outcomes, PruneRig } from '../../support/rigs/prune-rig.js';
import { fault } from '../../support/base/fault.js';

const DAY = 86_400_000;

let rig: PruneRig;
beforeEach(async () => {
  rig = await PruneRig.start();
});
afterEach(() => rig[Symbol.asyncDispose]());

describe('rules', () => {
  beforeEach(async () => {
    rig.addSessions('ann', ['a1', 'a2']);
    rig.addSession('bob', 'b1');
    await rig.rig.archived();
    rig.rig.clock.ahead += 20 * DAY;
    rig.grow('ann', 'a1');
    rig.rig.clock.ahead += 1000;
    rig.addSessions('ann', ['a3']);
    await rig.rig.export();
    rig.rig.clock.ahead += 20 * DAY;
  });

  it('choose by the newest job', async () => {
    const summary = await rig.pruned({ rules: { olderThanMs: 30 * DAY } });
    expect(outcomes(summary)).toEqual({ a1: 'kept', a2: 'deleted', a3: 'kept', b1: 'deleted' });
    expect(summary.sessions.find(({ session }) => session === 'a1')?.detail).toMatch(
      /^its newest job is from \d{4}-\d\d-\d\d \(told by its id\), which is too recent$/,
    );
  });

  it('keep each user’s newest', fault('F-54'), async () => {
    const summary = await rig.pruned({ rules: { keep: 1 } });
    expect(outcomes(summary)).toEqual({ a1: 'deleted', a2: 'deleted', a3: 'kept', b1: 'kept' });
    expect((await rig.pruned({ rules: { keep: 0 } })).deletions.deleted).toBe(2);
  });

  it('delete at most so many, and the next run goes on', fault('F-35'), async () => {
    const first = await rig.pruned({ rules: { all: true, maxDelete: 2 } });
    expect(first).toMatchObject({
      status: 'complete',
      deletions: { deleted: 2, refused: 0, left: 2 },
    });
    expect(outcomes(first)).toMatchObject({ a2: 'deleted', a3: 'max-delete' });
    expect((await rig.pruned({ rules: { all: true, maxDelete: 2 } })).status).toBe('complete');
  });

  it('free as many slots as are wanted, the oldest first', async () => {
    for (let n = 0; n < 145; n++) rig.addSession('ann', `n${n}`, { jobs: 0 });
    const rules = { freeSlots: 3, users: ['ann'] };
    // 148 are listed, 2 slots are free
    const summary = await rig.pruned({ rules });
    expect(summary).toMatchObject({ status: 'complete', deletions: { deleted: 1 }, kept: 2 });
    expect(outcomes(summary)['a2']).toBe('deleted');
    expect((await rig.pruned({ rules })).deletions.deleted).toBe(0);
  });

  it(
    'keep the newest that the service still lists: others may have been deleted there',
    fault('F-102'),
    async () => {
      rig.addSessions('ann', ['a4', 'a5']);
      await rig.rig.export();
      rig.state.deleteSession('ann', 'a5');
      rig.state.deleteSession('ann', 'a4');
      const summary = await rig.pruned({ rules: { keep: 2, users: ['ann'] } });
      expect(outcomes(summary)).toMatchObject({ a1: 'kept', a2: 'deleted', a3: 'kept' });
      expect(rig.left()).toEqual(['a1', 'a3', 'b1']);
    },
  );

  it('name users and sessions, which must be in the archive', async () => {
    const rules = { all: true, users: ['bob'] };
    expect(outcomes((await rig.plan({ rules })).summary)).toEqual({ b1: 'planned' });
    await expect(rig.plan({ rules: { users: ['eve'] } })).rejects.toThrow('has no user "eve"');
    const { error } = await rig.prune({ rules: { sessions: ['b1', 'b2'] } });
    expect(error).toMatchObject({ code: 'USAGE' });
    expect(rig.left()).toContain('b1');
  });

  it('must be given where something is to be deleted', async () => {
    await expect(rig.prune({ rules: { users: ['ann'], maxDelete: 3 } })).rejects.toThrow(
      'nothing says which sessions are to be deleted',
    );
    expect(rig.deletesSent).toBe(0);
  });
});

describe('a saved plan', () => {
  beforeEach(async () => {
    rig.addSessions('ann', ['a1', 'a2', 'a3']);
    await rig.rig.archived();
  });

  it('is carried out as it was shown, and checked afresh', async () => {
    const { saved } = await rig.plan({ rules: { holds: plainHolds(['a3']) } });
    rig.grow('ann', 'a1');
    rig.rig.clock.ahead += DAY - 60_000;
    const summary = await rig.pruned({ plan: saved });
    expect(outcomes(summary)).toEqual({ a1: 'grown', a2: 'deleted' });
    expect(rig.left()).toEqual(['a1', 'a3']);
    // what it has done is done
    expect(outcomes(await rig.pruned({ plan: saved }))).toEqual({ a1: 'grown', a2: 'gone' });
  });

  it('expires after 24 hours', async () => {
    const { saved } = await rig.plan();
    rig.rig.clock.ahead += DAY + 60_000;
    await expect(rig.prune({ plan: saved })).rejects.toThrow('a plan expires after 24 hours');
    expect(rig.deletesSent).toBe(0);
  });

  it('does not stand for a session that was archived again since', async () => {
    const { saved } = await rig.plan();
    rig.grow('ann', 'a1');
    await rig.rig.export();
    expect(outcomes(await rig.pruned({ plan: saved }))).toMatchObject({ a1: 'outdated' });
  });

  it('obeys the holds and the limit that are given with it, and no other rule', async () => {
    const { saved: plan } = await rig.plan();
    const rules = { holds: plainHolds(['a1']), maxDelete: 1 };
    expect(outcomes(await rig.pruned({ plan, rules }))).toEqual({
      a1: 'hold',
      a2: 'deleted',
      a3: 'max-delete',
    });
    await expect(rig.prune({ plan, rules: { all: true } })).rejects.toThrow('brings its own rules');
  });

  it('keeps the holds under which it was made', fault('F-55'), async () => {
    const { saved } = await rig.plan({ rules: { holds: plainHolds(['a3']) } });
    const summary = await rig.pruned({ plan: saved, rules: { allowUnknownHolds: true } });
    expect(outcomes(summary)).toEqual({ a1: 'deleted', a2: 'deleted' });
    const bound = await rig.plan({ rules: { holds: plainHolds(['ann']), sessions: ['a3'] } });
    expect(bound.saved.holds).toEqual([{ id: 'ann' }]);
  });

  it(
    'may be shortened by hand, and deletes nothing that its rules do not select',
    fault('F-55'),
    async () => {
      const { saved } = await rig.plan();
      const sessions = saved.sessions.filter(({ session }) => session !== 'a3');
      const { saved: narrow } = await rig.plan({ rules: { sessions: ['a1'] } });
      expect(outcomes(await rig.pruned({ plan: { ...narrow, sessions } }))).toEqual({
        a1: 'deleted',
        a2: 'not-selected',
      });
      expect(outcomes(await rig.pruned({ plan: { ...saved, sessions } }))).toEqual({
        a1: 'gone',
        a2: 'deleted',
      });
      expect(rig.left()).toEqual(['a3']);
    },
  );

  it('is refused where it names a session that the archive does not have', async () => {
    const { saved } = await rig.plan();
    const sessions = saved.sessions.map((of) => ({ ...of, session: `${of.session}0` }));
    const { error } = await rig.prune({ plan: { ...saved, sessions } });
    expect(error).toMatchObject({ message: expect.stringContaining('has no session "a10"') });
    expect(rig.deletesSent).toBe(0);
  });

  it('is for one archive only', async () => {
    const { saved } = await rig.plan();
    const plan = { ...saved, archive: '0'.repeat(26) };
    await expect(rig.prune({ plan })).rejects.toThrow('made for another archive');
  });
});

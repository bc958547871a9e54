/** A file whose content is doubtful: stored, told of, and in the way of a deletion until somebody accepts it. */
import { afterEach, beforeEach, expect, it } from 'vitest';
import { outcomes, PruneRig } from '../../support/rigs/prune-rig.js';
import { fault } from '../../support/base/fault.js';

let rig: PruneRig;
beforeEach(async () => {
  rig = await PruneRig.start();
  rig.state.putFile('empty.csv', '');
  rig.state.putFile('pending.csv', 'pending');
  rig.state.putFile('whole.csv', 'a,b\n1,2\n');
  rig.addSession('ann', 'doubtful', { files: ['empty.csv', 'pending.csv', 'whole.csv'] });
  rig.addSession('ann', 'fine', { files: ['whole.csv'] });
});
afterEach(() => rig[Symbol.asyncDispose]());

it('is stored, counted in the summary and marked in its row, and is no gap', async () => {
  const summary = await rig.rig.export();
  expect(summary).toMatchObject({ status: 'complete', gaps: [], artifacts: { suspicious: 2 } });
  const rows = await rig.rig.rows('artifacts');
  expect(rows.map(({ name, status, suspicious }) => [name, status, suspicious])).toEqual(
    expect.arrayContaining([
      ['empty.csv', 'stored', 'an empty file'],
      ['pending.csv', 'stored', 'one short line without a delimiter'],
      ['whole.csv', 'stored', null],
    ]),
  );
});

it('keeps its session from being deleted, and no other', fault('F-48'), async () => {
  await rig.rig.export();
  const summary = await rig.pruned();
  expect(outcomes(summary)).toEqual({ doubtful: 'suspicious', fine: 'deleted' });
  expect(rig.left()).toEqual(['doubtful']);
});

it('does not keep it where that is accepted', async () => {
  await rig.rig.export();
  const summary = await rig.pruned({ rules: { all: true, acceptSuspicious: true } });
  expect(outcomes(summary)).toEqual({ doubtful: 'deleted', fine: 'deleted' });
});

it('is still in the way after a second export, which has nothing to do', async () => {
  await rig.rig.export();
  const summary = await rig.rig.export();
  expect(summary.artifacts.suspicious).toBe(0);
  expect(outcomes(await rig.pruned())['doubtful']).toBe('suspicious');
});

const cutAfter = (afterBytes: number) => ({ kind: 'truncate', afterBytes }) as const;

it('is one whose end nothing proves, and its session stays', fault('F-75'), async () => {
  rig.emulator.faults.files = [{ key: 'whole.csv', answer: cutAfter(1000) }];
  const summary = await rig.rig.export();
  expect(summary).toMatchObject({ status: 'complete', gaps: [], artifacts: { suspicious: 4 } });
  const whole = (await rig.rig.rows('artifacts')).filter(({ name }) => name === 'whole.csv');
  expect(whole.map(({ status, suspicious }) => [status, suspicious])).toEqual([
    ['stored', 'unproven end'],
    ['stored', 'unproven end'],
  ]);
  expect(outcomes(await rig.pruned())).toEqual({ doubtful: 'suspicious', fine: 'suspicious' });
  expect(rig.left()).toEqual(['doubtful', 'fine']);
});

it(
  'is a gap where two downloads without an end differ, and its session stays',
  fault('F-75'),
  async () => {
    rig.state.putFile('alone.csv', 'a,b\n1,2\n');
    rig.addSession('ann', 'cut', { files: ['alone.csv'] });
    rig.emulator.faults.files = [
      { key: 'alone.csv', first: 1, answer: cutAfter(5) },
      { key: 'alone.csv', answer: cutAfter(1000) },
    ];
    const summary = await rig.rig.export();
    expect(summary.status).toBe('gaps');
    expect(summary.gaps.map(({ session, status }) => [session, status])).toEqual([
      ['cut', 'failed'],
    ]);
    expect(outcomes(await rig.pruned())).toMatchObject({ cut: 'gap', fine: 'deleted' });
    expect(rig.left().toSorted()).toEqual(['cut', 'doubtful']);
  },
);

it('is whole, without a mark, where a second download says its length', async () => {
  rig.state.putFile('alone.csv', 'a,b\n1,2\n');
  rig.addSession('ann', 'cut', { files: ['alone.csv'] });
  rig.emulator.faults.files = [{ key: 'alone.csv', first: 1, answer: cutAfter(5) }];
  const summary = await rig.rig.export();
  expect(summary).toMatchObject({ status: 'complete', gaps: [], artifacts: { suspicious: 2 } });
  expect(outcomes(await rig.pruned())).toMatchObject({ cut: 'deleted' });
});

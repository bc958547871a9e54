import { expect, it } from 'vitest';
import { queuedUsersPath } from '../../../src/archive/paths.js';
import { leaveUsers, openRuns } from '../../../src/archive/runs/queued-runs.js';
import { leftovers } from '../../../src/rewrite/erasure/plan-erasure.js';
import { ErasureTarget } from '../../../src/archive/erasing/erasure-target.js';
import { runOf } from '../../support/store/archive-samples.js';
import { ANN, archiveOfThree } from '../../support/store/begun-erasure.js';
import { fault } from '../../support/base/fault.js';

it(
  'an erasure dooms files of queued users who are erased or unreadable; others stay',
  fault('F-85'),
  async () => {
    const { archive, storage } = await archiveOfThree();
    const times = { enqueued_at: '2026-11-05T12:00:00.000Z', since: 0 };
    const head = { queue: 'q', expected: false, doubtful_list: false, ...times };
    const leave = (letter: string, run: string, users: string[]) =>
      leaveUsers(storage, runOf(letter), { ...head, run, users });
    const old = await leave('A', 'night', ['ben', 'ann', 'cy']);
    const alone = await leave('B', 'alone', ['ann']);
    await leave('C', 'others', ['ben']);
    const unread = queuedUsersPath(runOf('F'));
    await storage.put(unread, Buffer.of(1));
    await archive.index.refresh();
    const { doomed } = await leftovers(archive, runOf('E'), new ErasureTarget(ANN));
    expect(doomed.toSorted()).toEqual([old, alone, unread].sort());
    for (const path of doomed) await storage.delete(path);
    const open = await openRuns(archive);
    expect(open.map(({ run, users }) => [run, [...users]]).sort()).toEqual([
      ['night', ['ben', 'cy']],
      ['others', ['ben']],
    ]);
  },
);

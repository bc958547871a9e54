import { expect, it } from 'vitest';
import { newestRuns } from '../../../src/archive/state/run-history.js';
import type { Archive } from '../../../src/archive/archive.js';
import { wholeGap } from '../../../src/export/jobs/gap.js';
import { withUsers } from '../../../src/archive/reading/users/users-of-run.js';
import {
  draft,
  makeArchive,
  runOf,
  session,
  userEntry,
} from '../../support/store/archive-samples.js';
import { createMemoryStorage } from '../../support/store/memory-storage.js';

const LACKING = { complete: false, gaps: 1 };

/** Users and complete ones of each run, the oldest first. */
async function counted(archive: Archive): Promise<(readonly [number, number])[]> {
  await archive.index.refresh();
  const runs = [...newestRuns(archive.index)].reverse();
  const all = await Promise.all(runs.map((run) => withUsers(run, archive)));
  return all.map(({ users, complete }) => [users, complete] as const);
}

it.each([
  ['the spelling that comes first', ['Ann'], 2],
  ['the other spelling', ['ann'], 2],
  ['both', ['Ann', 'ann'], 1],
])(
  'a gap of a session that two spellings list, in %s, counts once',
  async (_, lacking, complete) => {
    const archive = await makeArchive(createMemoryStorage());
    const spellings = ['ann', 'Ann'];
    const has = (user: string): boolean => lacking.includes(user);
    const sessions = spellings.map((user) =>
      session(
        user,
        's',
        has(user) ? { complete: false, gaps: [wholeGap('incomplete', 'cut')] } : {},
      ),
    );
    const users = spellings.map((user) => userEntry(user, has(user) ? LACKING : {}));
    await archive.log.append(draft({ sessions, users, scope: { users: 2 } }));
    expect(await counted(archive)).toEqual([[2, complete]]);
  },
);

it('what a run said of two spellings stays, though one of them is listed no more', async () => {
  const archive = await makeArchive(createMemoryStorage());
  const gap = { complete: false, gaps: [wholeGap('incomplete', 'cut')] };
  const sessions = [session('ann', 's'), session('Ann', 's', gap)];
  const users = [userEntry('ann'), userEntry('Ann', LACKING)];
  await archive.log.append(draft({ sessions, users, scope: { users: 2 } }));
  expect(await counted(archive)).toEqual([[2, 2]]);
  const later = { base: 1, run: runOf('B'), users: [userEntry('ann')], scope: { users: 1 } };
  await archive.log.append(draft(later));
  expect(await counted(archive)).toEqual([
    [2, 2],
    [1, 1],
  ]);
});

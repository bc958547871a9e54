import { expect, it } from 'vitest';
import { newestRuns } from '../../../src/archive/state/run-history.js';
import { withUsers } from '../../../src/completeness/run-changes.js';
import { draft, makeArchive, runOf, userEntry } from '../../support/store/archive-samples.js';
import { createMemoryStorage } from '../../support/store/memory-storage.js';

it('who has gaps that all count for another spelling is complete in the runs that list them', async () => {
  const archive = await makeArchive(createMemoryStorage());
  const users = [userEntry('ann'), userEntry('Ann', { complete: false, gaps: 1 })];
  await archive.log.append(draft({ users, scope: { users: 2 } }));
  await archive.log.append(draft({ base: 1, run: runOf('B'), users, scope: { users: 2 } }));
  await archive.index.refresh();
  const listing = (await archive.index.listings()).get('Ann' as never)?.lastOfAll;
  const counted = await Promise.all(
    [...newestRuns(archive.index)].map((run) =>
      withUsers(run, archive, new Map([['Ann', listing]])),
    ),
  );
  expect(listing?.commit).toBe(2);
  expect(counted.map(({ users: all, complete }) => [all, complete])).toEqual([
    [2, 2],
    [2, 1],
  ]);
});

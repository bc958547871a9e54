import { expect, it } from 'vitest';
import { statusOfUser } from '../../../src/completeness/user-status.js';
import { draft, makeArchive, session, userEntry } from '../../support/store/archive-samples.js';
import { createMemoryStorage } from '../../support/store/memory-storage.js';

it('a session that two spellings list counts for one of those who are looked at together', async () => {
  const archive = await makeArchive(createMemoryStorage());
  const sessions = [session('ann', 's-1'), session('Ann', 's-1'), session('Ann', 's-2')];
  const users = ['ann', 'Ann'].map((user) => userEntry(user));
  await archive.log.append(draft({ sessions, users, scope: { users: 2 } }));
  await archive.index.refresh();
  const countOf = async (user: string, among?: readonly string[]) =>
    (await statusOfUser(archive, user, { among })).sessions.total;
  expect([await countOf('ann'), await countOf('Ann')]).toEqual([1, 2]);
  const both = ['ann', 'Ann'];
  expect((await countOf('ann', both)) + (await countOf('Ann', both))).toBe(2);
  await expect(statusOfUser(archive, 'cyd')).rejects.toThrow('has no user "cyd"');
});

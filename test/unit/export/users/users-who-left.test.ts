import { expect, it } from 'vitest';
import { usersWhoLeft } from '../../../../src/export/users/users-who-left.js';
import { asUserId } from '../../../../src/model/ids.js';
import {
  draft,
  makeArchive,
  runOf,
  session,
  userEntry,
} from '../../../support/store/archive-samples.js';
import { createMemoryStorage } from '../../../support/store/memory-storage.js';

const [A, B, C] = [runOf('A'), runOf('B'), runOf('C')];
const of = (...users: string[]) => ({
  users: users.map((user) => userEntry(user)),
  sessions: users.map((user) => session(user, `s-${user}`)),
});

it('who was read by the export of everybody before, and is listed no more, is found once', async () => {
  const archive = await makeArchive(createMemoryStorage());
  const found = async (run: typeof A, ...users: string[]) => {
    await archive.index.refresh();
    return usersWhoLeft(archive, run, users.map(asUserId));
  };
  // ann stands in its first commit, ben in its last
  await archive.log.append(draft({ ...of('ann'), scope: { users: 3 } }));
  await archive.log.append(
    draft({ base: 1, checkpoint: 2, ...of('ben', 'cyd'), scope: { users: 3 } }),
  );
  expect(await found(A, 'ann', 'ben', 'cyd')).toEqual([]);
  await archive.log.append(draft({ base: 2, run: B, ...of('cyd'), scope: { users: 1 } }));
  expect(await found(B, 'cyd')).toEqual(['ann', 'ben']);
  expect(await found(B, 'ann', 'cyd')).toEqual(['ben']);
  // of another run, which has saved nothing
  expect(await found(C, 'cyd')).toEqual([]);
  await archive.log.append(draft({ base: 3, run: C, ...of('cyd'), scope: { users: 1 } }));
  expect(await found(C, 'cyd')).toEqual([]);
});

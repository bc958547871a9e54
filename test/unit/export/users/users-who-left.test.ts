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

const [A, B, C, D] = [runOf('A'), runOf('B'), runOf('C'), runOf('D')];
const of = (...users: string[]) => ({
  users: users.map((user) => userEntry(user)),
  sessions: users.map((user) => session(user, `s-${user}`)),
});

/** The archive, and whom a run finds whose list has these users. */
async function archiveAndFound() {
  const archive = await makeArchive(createMemoryStorage());
  const found = async (run: typeof A, ...users: string[]) => {
    await archive.index.refresh();
    return usersWhoLeft(archive, run, users.map(asUserId));
  };
  return { log: archive.log, found };
}

it('who was read by the export of everybody before, and is listed no more, is found once', async () => {
  const { log, found } = await archiveAndFound();
  // ann stands in its first commit, ben in its last
  await log.append(draft({ ...of('ann'), scope: { users: 3 } }));
  await log.append(draft({ base: 1, checkpoint: 2, ...of('ben', 'cyd'), scope: { users: 3 } }));
  expect(await found(A, 'ann', 'ben', 'cyd')).toEqual([]);
  await log.append(draft({ base: 2, run: B, ...of('cyd'), scope: { users: 1 } }));
  expect(await found(B, 'cyd')).toEqual(['ann', 'ben']);
  expect(await found(B, 'ann', 'cyd')).toEqual(['ben']);
  // of another run, which has saved nothing
  expect(await found(C, 'cyd')).toEqual([]);
  await log.append(draft({ base: 3, run: C, ...of('cyd'), scope: { users: 1 } }));
  expect(await found(C, 'cyd')).toEqual([]);
});

it('who is read under another spelling has not left', async () => {
  const { log, found } = await archiveAndFound();
  await log.append(draft({ ...of('ann', 'ben'), scope: { users: 2 } }));
  await log.append(draft({ base: 1, run: B, ...of('Ann'), scope: { users: 1 } }));
  expect(await found(B, 'Ann')).toEqual(['ben']);
  await log.append(draft({ base: 2, run: C, ...of('cyd'), scope: { users: 1 } }));
  expect(await found(C, 'cyd')).toEqual(['Ann']);
});

it('whom the last export of everybody did not read has not left, also if exported since', async () => {
  const { log, found } = await archiveAndFound();
  await log.append(draft({ ...of('ann', 'ben', 'cyd'), scope: { users: 3 } }));
  await log.append(draft({ base: 1, run: B, ...of('ben', 'cyd'), scope: { users: 2 } }));
  expect(await found(B, 'ben', 'cyd')).toEqual(['ann']);
  const named = { users: 2, named: true };
  await log.append(draft({ base: 2, run: C, ...of('ann', 'ben'), scope: named }));
  await log.append(draft({ base: 3, run: D, ...of('cyd'), scope: { users: 1 } }));
  expect(await found(D, 'cyd')).toEqual(['ben']);
});

it('who has left in a run that died is found by the next one', async () => {
  const { log, found } = await archiveAndFound();
  await log.append(draft({ ...of('ann', 'ben', 'cyd'), scope: { users: 3 } }));
  // its list has two users, and it died after the first
  await log.append(draft({ base: 1, run: B, ...of('ben'), scope: { users: 2 } }));
  await log.append(draft({ base: 2, run: C, ...of('ben', 'cyd'), scope: { users: 2 } }));
  expect(await found(C, 'ben', 'cyd')).toEqual(['ann']);
  await log.append(draft({ base: 3, run: D, ...of('ben', 'cyd'), scope: { users: 2 } }));
  expect(await found(D, 'ben', 'cyd')).toEqual([]);
});

it('runs with a budget that read some of the users each tell once who has left', async () => {
  const { log, found } = await archiveAndFound();
  await log.append(draft({ ...of('ann', 'ben', 'cyd'), scope: { users: 3 } }));
  await log.append(draft({ base: 1, run: B, ...of('ben'), scope: { users: 2 } }));
  expect(await found(B, 'ben', 'cyd')).toEqual(['ann']);
  await log.append(draft({ base: 2, run: C, ...of('cyd'), scope: { users: 2 } }));
  expect(await found(C, 'ben', 'cyd')).toEqual([]);
});

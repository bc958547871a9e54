/** A run that was asked for some sessions has listed no others, also when those that it was asked for are erased. */
import { expect, it } from 'vitest';
import type { UserEntry } from '../../../src/archive/log/commit.js';
import { asUserId } from '../../../src/model/ids.js';
import { draft, makeArchive, reopened, session } from '../../support/archive-samples.js';
import { erased } from '../../support/erase-rig.js';
import { createMemoryStorage } from '../../support/memory-storage.js';

const ann: UserEntry = {
  user: asUserId('ann'),
  listed: 1,
  total_items: 1,
  complete: true,
  sessions: { new: 1, changed: 0, unchanged: 0, failed: 0 },
  jobs: { archived: 0 },
  gaps: 0,
  error: null,
};

it.each([[['one']], [['one', 'two']]])('of %j, one is erased', async (sessions) => {
  const archive = await makeArchive(createMemoryStorage());
  const found = sessions.map((id) => session('ann', id));
  await archive.log.append(draft({ sessions: found, users: [ann], scope: { sessions } }));
  await erased(archive, { users: [], sessions: ['one'] });
  const { index, log } = reopened(archive);
  await index.refresh();
  expect(index.user(asUserId('ann'))).toMatchObject({ last: { entry: ann }, lastOfAll: undefined });
  expect((await log.read(1)).scope).toEqual({ sessions: [...sessions.slice(1), '[erased]'] });
});

/** A run that was asked for some sessions has listed no others, also when those that it was asked for are erased. */
import { expect, it } from 'vitest';
import { asUserId } from '../../../src/model/ids.js';
import {
  draft,
  makeArchive,
  reopened,
  session,
  userEntry,
} from '../../support/store/archive-samples.js';
import { erased } from '../../support/rigs/erase-rig.js';
import { createMemoryStorage } from '../../support/store/memory-storage.js';

const ann = userEntry('ann', { jobs: { archived: 0 } });

it.each([[['one']], [['one', 'two']]])('of %j, one is erased', async (sessions) => {
  const archive = await makeArchive(createMemoryStorage());
  const found = sessions.map((id) => session('ann', id));
  await archive.log.append(draft({ sessions: found, users: [ann], scope: { sessions } }));
  await erased(archive, { users: [], sessions: ['one'] });
  const { index, log } = reopened(archive);
  await index.refresh();
  const listings = (await index.listings()).get(asUserId('ann'));
  expect(listings).toMatchObject({ last: { entry: ann }, lastOfAll: undefined });
  expect((await log.read(1)).scope).toEqual({ sessions: [...sessions.slice(1), '[erased]'] });
});

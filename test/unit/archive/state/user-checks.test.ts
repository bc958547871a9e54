import { gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { checksPath } from '../../../../src/archive/paths.js';
import {
  loadChecks,
  noChecks,
  saveChecks,
  type UserChecks,
} from '../../../../src/archive/state/user-checks.js';
import { asUserId } from '../../../../src/model/ids.js';
import { draft, makeArchive, session } from '../../../support/store/archive-samples.js';
import { archiveOfThree, BegunErasure } from '../../../support/store/begun-erasure.js';
import { erased } from '../../../support/rigs/erase-rig.js';
import { createMemoryStorage } from '../../../support/store/memory-storage.js';

const ANN = asUserId('ann');

const CHECKS: UserChecks = {
  user: ANN,
  sinceMs: 1,
  firstListingMs: 2,
  listingsMs: [2, 3],
  sessions: new Map([
    ['a', { checkedAtMs: 4, listedAtMs: 5, changedAtMs: 6, isIncomplete: true }],
    ['b', { checkedAtMs: null, listedAtMs: 7, changedAtMs: null, isIncomplete: false }],
  ]),
};

describe('the times of checks', () => {
  it('are read as they were saved', async () => {
    const storage = createMemoryStorage();
    const { index } = await makeArchive(storage);
    await saveChecks(storage, CHECKS, { index, through: 0 });
    expect(await loadChecks(storage, ANN)).toEqual(CHECKS);
    const none = noChecks(ANN, 9);
    expect(none).toEqual({
      user: ANN,
      sinceMs: 9,
      firstListingMs: null,
      listingsMs: [],
      sessions: new Map(),
    });
    await saveChecks(storage, none, { index, through: 0 });
    expect(await loadChecks(storage, ANN)).toEqual(none);
  });

  it.each([
    ['no gzip', Buffer.from('{}')],
    ['no times', gzipSync('{"format":1}')],
    [
      'of another user',
      gzipSync(
        JSON.stringify({
          format: 1,
          user: 'ben',
          since: 1,
          first_listing: null,
          listings: [],
          sessions: [],
        }),
      ),
    ],
  ])('are unknown where the file is %s', async (_, bytes) => {
    const storage = createMemoryStorage();
    expect(await loadChecks(storage, ANN)).toBeUndefined();
    await storage.put(checksPath(ANN), bytes);
    expect(await loadChecks(storage, ANN)).toBeUndefined();
  });

  it('are not taken for missing where the storage fails', async () => {
    const get = () => Promise.reject(new Error('no route'));
    const storage = { ...createMemoryStorage(), get };
    await expect(loadChecks(storage, ANN)).rejects.toThrow('no route');
  });
});

// I-45 in FORMAT.md
describe('after an erasure', () => {
  it('only times that were read since are saved', async () => {
    const storage = createMemoryStorage();
    const archive = await makeArchive(storage);
    const { index } = archive;
    await archive.log.append(draft({ sessions: [session('ann', 'a')] }));
    await index.refresh();
    const { through } = index;
    await erased(archive, { users: [], sessions: ['a'] });
    await saveChecks(storage, CHECKS, { index, through });
    expect(storage.place.objects.has(checksPath(ANN))).toBe(false);
    await saveChecks(storage, CHECKS, { index, through: index.lastErasure });
    expect(storage.place.objects.has(checksPath(ANN))).toBe(true);
  });

  it('none are saved until it is finished', async () => {
    const { archive, storage } = await archiveOfThree();
    await new BegunErasure(archive).begin();
    await archive.index.refresh();
    const { index } = archive;
    await saveChecks(storage, CHECKS, { index, through: index.through });
    expect(storage.place.objects.has(checksPath(ANN))).toBe(false);
  });
});

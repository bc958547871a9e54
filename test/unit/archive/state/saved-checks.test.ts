import { gunzipSync, gzipSync } from 'node:zlib';
import { beforeEach, describe, expect, it } from 'vitest';
import type { Archive } from '../../../../src/archive/archive.js';
import { checksPath, CHECKS_PREFIX } from '../../../../src/archive/paths.js';
import { mergeChecks, SavedChecks } from '../../../../src/archive/state/saved-checks.js';
import { noChecks, type UserChecks } from '../../../../src/archive/state/user-checks.js';
import { sha256Hex } from '../../../../src/base/digest.js';
import { asUserId } from '../../../../src/model/ids.js';
import type { Storage } from '../../../../src/storage/storage.js';
import { draft, makeArchive, runOf, session } from '../../../support/store/archive-samples.js';
import { archiveOfThree, BegunErasure } from '../../../support/store/begun-erasure.js';
import { erased } from '../../../support/rigs/erase-rig.js';
import { createMemoryStorage, type MemoryStorage } from '../../../support/store/memory-storage.js';
import { CHECKS_ID, saveChecks, savedChecks } from '../../../support/store/stored-checks.js';
import { fault } from '../../../support/base/fault.js';

const ANN = asUserId('ann "a\\b" \n');

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

let storage: MemoryStorage;
let archive: Archive;

beforeEach(async () => {
  storage = createMemoryStorage();
  archive = await makeArchive(storage);
});

const stored = () => [...storage.place.objects.keys()].filter((p) => p.startsWith(CHECKS_PREFIX));

it('the times of checks are read as they were saved, those of many users from one object', async () => {
  const none = noChecks(asUserId('ben'), 9);
  await saveChecks(storage, archive.index, [CHECKS, none], { through: 0 });
  expect(stored()).toEqual([checksPath(0, CHECKS_ID)]);
  expect(await savedChecks(storage, archive.index, ANN)).toEqual(CHECKS);
  expect(await savedChecks(storage, archive.index, 'ben')).toEqual(none);
  expect(await savedChecks(storage, archive.index, 'cyd')).toBeUndefined();
});

it('the times of checks are those that were saved last, in whichever object they are', async () => {
  const later = { ...CHECKS, sinceMs: 7 };
  const { index } = archive;
  await saveChecks(storage, index, later, { through: 0, savedMs: 5, id: runOf('A') });
  await saveChecks(storage, index, CHECKS, { through: 0, savedMs: 4, id: runOf('B') });
  expect(await savedChecks(storage, index, ANN)).toEqual(later);
});

it(
  'the times of checks that a clock which was ahead has saved count for nothing, and do not hide later ones',
  fault('F-135'),
  async () => {
    const { index } = archive;
    const ahead = { ...CHECKS, sinceMs: 900_000_000 };
    await saveChecks(storage, index, ahead, { through: 0, savedMs: 900_000_001, id: runOf('A') });
    const now = () => 1000;
    const saved = new SavedChecks(storage, index, { assertsHeads: true, now });
    await saved.refresh();
    expect(saved.get(ANN)).toBeUndefined();
    await saveChecks(storage, index, CHECKS, { through: 0, savedMs: 999, id: runOf('B') });
    await saved.refresh();
    expect(saved.get(ANN)).toEqual(CHECKS);
    for (let n = 0; n < 40; n++) {
      const ben = noChecks(asUserId('ben'), n);
      const id = String(n).padStart(26, '0');
      await saveChecks(storage, index, ben, { through: 0, savedMs: n, id });
    }
    for (let n = 0; n < 3; n++)
      await mergeChecks(storage, index, () => runOf('KMN'.charAt(n)), now);
    expect(await savedChecks(storage, index, ANN)).toBeDefined();
    const after = new SavedChecks(storage, index, { assertsHeads: true, now });
    await after.refresh();
    expect(after.get(ANN)).toEqual(CHECKS);
  },
);

it.each([
  ['is no gzip', Buffer.from('{}')],
  ['has no first line', gzipSync('')],
  ['is cut', gzipSync('{"format":1,"head":[0,null]}\n{"user":"ann"')],
  ['has a line that begins otherwise', gzipSync('{"format":1,"head":[0,null]}\n{"id":"ann"}\n')],
  [
    'has lines without times',
    gzipSync('{"format":1,"head":[0,null]}\n{"user":"ann","saved":1,}\n'),
  ],
])('the times of checks are unknown where the object %s', async (_, bytes) => {
  await storage.put(checksPath(0, CHECKS_ID), bytes);
  expect(await savedChecks(storage, archive.index, 'ann')).toBeUndefined();
});

it('the times of checks are not taken for missing where the storage fails', async () => {
  await saveChecks(storage, archive.index, CHECKS, { through: 0 });
  const get = () => Promise.reject(new Error('no route'));
  const failing = { ...storage, get };
  await expect(savedChecks(failing, archive.index, ANN)).rejects.toThrow('no route');
});

it('the times of checks are not read once more when others are saved', async () => {
  const read: string[] = [];
  const get: Storage['get'] = (path) => {
    if (path.startsWith(CHECKS_PREFIX)) read.push(path);
    return storage.get(path);
  };
  const saved = new SavedChecks({ ...storage, get }, archive.index, { assertsHeads: true });
  await saveChecks(storage, archive.index, CHECKS, { through: 0, id: runOf('A') });
  await saved.refresh();
  await saveChecks(storage, archive.index, noChecks(asUserId('ben'), 9), {
    through: 0,
    id: runOf('B'),
  });
  await saved.refresh();
  expect(saved.get(asUserId('ben'))?.sinceMs).toBe(9);
  expect(read).toEqual(stored());
});

it('the times of checks tell of a log that lacks a commit which the run knew that saved them', async () => {
  const { index, log } = archive;
  await log.append(draft({ sessions: [session('ann', 'a')] }));
  await saveChecks(storage, index, CHECKS, { through: 0 });
  expect(await savedChecks(storage, index, ANN)).toBeDefined();
  const reading = {
    through: 0,
    lastErasure: 0,
    openErasures: new Map<string, unknown>(),
    digestOf: (): string | null => null,
    refresh: () => Promise.resolve(),
  };
  await expect(savedChecks(storage, reading, ANN)).rejects.toThrow('this log may have been cut');
  const other = { ...reading, through: 1, digestOf: () => 'f'.repeat(64) };
  await expect(savedChecks(storage, other, ANN)).rejects.toThrow('from another commit 1');
});

describe('saved checks', () => {
  const users = (count: number, from: number) =>
    Array.from({ length: count }, (_, i) => ({ ...CHECKS, user: asUserId(`user ${from + i}`) }));
  const idOf = (n: number) => String(n).padStart(26, '0');
  const heads = () =>
    stored().map((path) => {
      const [first = ''] = gunzipSync(storage.place.objects.get(path)!).toString().split('\n');
      return JSON.parse(first) as { head: unknown };
    });

  it('objects with times of checks stay while there are few', async () => {
    for (let n = 0; n < 32; n++) {
      await saveChecks(storage, archive.index, users(1, n), { through: 0, id: idOf(n) });
    }
    await mergeChecks(storage, archive.index, () => idOf(99));
    expect(stored()).toHaveLength(32);
  });

  it('objects with times of checks are merged, the smallest, when there are many: nothing is lost, and the newest commit that was known stays', async () => {
    const { index, log } = archive;
    await saveChecks(storage, index, users(40, 100), { through: 0, id: idOf(40) });
    await log.append(draft({ sessions: [session('ann', 'a')] }));
    for (let n = 0; n < 32; n++) {
      await saveChecks(storage, index, users(1, n), { through: 0, id: idOf(n) });
    }
    await mergeChecks(storage, index, () => idOf(99));
    expect(stored()).toHaveLength(33 - 24 + 1);
    expect(stored()).toContain(checksPath(0, idOf(40)));
    expect(heads().at(-1)).toMatchObject({ head: [1, index.digestOf(1)] });
    for (let n = 0; n < 32; n++) {
      expect(await savedChecks(storage, index, `user ${n}`)).toBeDefined();
    }
  });

  it('objects with times of checks are merged when most of their lines are outdated', async () => {
    const check = { checkedAtMs: 4, listedAtMs: 5, changedAtMs: 6, isIncomplete: true };
    const many = users(10, 0).map((checks, user) => {
      const ids = Array.from({ length: 1000 }, (_, n) => sha256Hex(`${user} ${n}`));
      return { ...checks, sessions: new Map(ids.map((id) => [id, check])) };
    });
    for (let n = 0; n < 2; n++) {
      await saveChecks(storage, archive.index, many, { through: 0, id: idOf(n), savedMs: n });
    }
    const before = storage.place.objects.get(checksPath(0, idOf(0)))!;
    expect(before.byteLength).toBeGreaterThan(256 * 1024);
    await mergeChecks(storage, archive.index, () => idOf(99));
    expect(stored()).toEqual([checksPath(0, idOf(99))]);
    expect(await savedChecks(storage, archive.index, 'user 9')).toBeDefined();
  });

  it('objects with times of checks that another run has merged meanwhile are found where it has put them', async () => {
    const { index } = archive;
    for (let n = 0; n < 33; n++) {
      await saveChecks(storage, index, users(1, n), { through: 0, id: idOf(n) });
    }
    let isMerged = false;
    const get: Storage['get'] = async (path) => {
      if (path.startsWith(CHECKS_PREFIX) && !isMerged) {
        isMerged = true;
        await mergeChecks(storage, index, () => idOf(99));
      }
      return storage.get(path);
    };
    const saved = new SavedChecks({ ...storage, get }, index, { assertsHeads: true });
    await saved.refresh();
    for (let n = 0; n < 33; n++) expect(saved.get(asUserId(`user ${n}`))).toBeDefined();
  });

  it('objects with times of checks that two runs merge at once stay, whichever is first', async () => {
    const { index } = archive;
    for (let n = 0; n < 33; n++) {
      await saveChecks(storage, index, users(1, n), { through: 0, id: idOf(n) });
    }
    let ids = 90;
    await Promise.all([1, 2].map(() => mergeChecks(storage, index, () => idOf(ids++))));
    for (let n = 0; n < 33; n++) {
      expect(await savedChecks(storage, index, `user ${n}`)).toBeDefined();
    }
  });
});

// I-45 in FORMAT.md

it('after an erasure only times that were read since are saved', async () => {
  const { index } = archive;
  await archive.log.append(draft({ sessions: [session('ann', 'a')] }));
  await index.refresh();
  const { through } = index;
  await erased(archive, { users: [], sessions: ['a'] });
  await saveChecks(storage, index, CHECKS, { through });
  expect(stored()).toEqual([]);
  await saveChecks(storage, index, CHECKS, { through: index.lastErasure });
  expect(stored()).toEqual([checksPath(index.lastErasure, CHECKS_ID)]);
});

it('after an erasure no times are saved until it is finished', async () => {
  const three = await archiveOfThree();
  await new BegunErasure(three.archive).begin();
  const { index } = three.archive;
  await index.refresh();
  await saveChecks(three.storage, index, CHECKS, { through: index.through });
  expect([...three.storage.place.objects.keys()].join()).not.toContain(CHECKS_PREFIX);
});

it('after an erasure no times are saved where its receipt comes while they are written', async () => {
  const three = await archiveOfThree();
  const { index } = three.archive;
  const put: Storage['put'] = async (path, bytes) => {
    if (path.startsWith(CHECKS_PREFIX)) await new BegunErasure(three.archive).begin();
    await three.storage.put(path, bytes);
  };
  await saveChecks({ ...three.storage, put }, index, CHECKS, { through: index.through });
  expect([...three.storage.place.objects.keys()].join()).not.toContain(CHECKS_PREFIX);
});

it('after an erasure what a killed run has left from before does not count', async () => {
  const { index } = archive;
  await archive.log.append(draft({ sessions: [session('ann', 'a')] }));
  await index.refresh();
  await saveChecks(storage, index, CHECKS, { through: index.through });
  const [path = ''] = stored();
  const bytes = storage.place.objects.get(path)!;
  await erased(archive, { users: [], sessions: ['a'] });
  await storage.put(path, bytes);
  await index.refresh();
  const left = await savedChecks(storage, index, ANN);
  expect([...(left?.sessions.keys() ?? [])]).toEqual(['b']);
});

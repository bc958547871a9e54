import { describe, expect, it } from 'vitest';
import { StorageError } from '../../../src/storage/storage-errors.js';
import type { Storage } from '../../../src/storage/storage.js';
import {
  committed,
  draft,
  makeArchive,
  ofOneJob,
  reopened,
} from '../../support/store/archive-samples.js';
import { createMemoryStorage } from '../../support/store/memory-storage.js';

describe('lost answers', () => {
  function losingAnswers(storage: Storage, where: 'after' | 'before'): Storage {
    let isFirst = true;
    return {
      ...storage,
      async putIfAbsent(path, bytes) {
        if (!isFirst) return storage.putIfAbsent(path, bytes);
        isFirst = false;
        if (where === 'after') await storage.putIfAbsent(path, bytes);
        throw new StorageError('the answer got lost');
      },
    };
  }

  // I-18 in FORMAT.md
  it('an append whose answer is lost finds its commit standing and goes on', async () => {
    const storage = createMemoryStorage();
    const archive = reopened(await makeArchive(storage), losingAnswers(storage, 'after'));
    const commit = await archive.log.append(draft(ofOneJob('u', 'a')));
    expect(await committed(reopened(archive, storage))).toEqual([commit]);
    expect(storage.place.objects.has(commit.jobs?.path ?? '')).toBe(true);
    expect((await archive.log.append(draft(ofOneJob('u', 'a')))).number).toBe(2);
  });

  it('an append whose answer is lost says that it failed when nothing stands', async () => {
    const storage = createMemoryStorage();
    const archive = reopened(await makeArchive(storage), losingAnswers(storage, 'before'));
    await expect(archive.log.append(draft(ofOneJob('u', 'a')))).rejects.toThrow(StorageError);
    expect(await reopened(archive, storage).log.head()).toBeNull();
  });

  // I-20 in FORMAT.md
  it("an append whose answer is lost finds another's commit, and takes the next number", async () => {
    const storage = createMemoryStorage();
    const one = await makeArchive(storage);
    let isFirst = true;
    const beaten: Storage = {
      ...storage,
      async putIfAbsent(path, bytes) {
        if (!isFirst) return storage.putIfAbsent(path, bytes);
        isFirst = false;
        await one.log.append(draft(ofOneJob('u', 'a')));
        throw new StorageError('the answer got lost');
      },
    };
    const commit = await reopened(one, beaten).log.append(draft(ofOneJob('u', 'b')));
    expect(commit.number).toBe(2);
    const named = (await committed(reopened(one, storage))).map(({ jobs }) => jobs?.path);
    const there = [...storage.place.objects.keys()].filter((path) => path.includes('.jobs.'));
    expect(there.sort()).toEqual(named);
  });

  // I-18 in FORMAT.md
  it('an append whose answer is lost counts a false as success if the commit has its nonce', async () => {
    const storage = createMemoryStorage();
    const refusing: Storage = {
      ...storage,
      async putIfAbsent(path, bytes) {
        await storage.putIfAbsent(path, bytes);
        return false;
      },
    };
    const archive = reopened(await makeArchive(storage), refusing);
    const commit = await archive.log.append(draft(ofOneJob('u', 'a')));
    expect(commit.number).toBe(1);
    expect(storage.place.objects.has(commit.jobs?.path ?? '')).toBe(true);
  });

  it('an append whose answer is lost knows its commit by the nonce of the same draft', async () => {
    const storage = createMemoryStorage();
    const archive = await makeArchive(storage);
    const nonce = 'ab'.repeat(16);
    const one = await archive.log.append(draft({ nonce, ...ofOneJob('u', 'a') }));
    await archive.log.append(draft({ base: 1, ...ofOneJob('u', 'b') }));
    const again = await reopened(archive).log.append(draft({ nonce, ...ofOneJob('u', 'a') }));
    expect(again).toEqual(one);
    expect(await committed(reopened(archive))).toHaveLength(2);
  });
});

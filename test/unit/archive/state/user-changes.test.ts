import { describe, expect, it } from 'vitest';
import type { CommitLog } from '../../../../src/archive/log/commit-log.js';
import { CommitsByUser } from '../../../../src/archive/state/user-changes.js';
import { asUserId } from '../../../../src/model/ids.js';
import {
  deletionEntry,
  draft,
  job,
  makeArchive,
  session,
} from '../../../support/store/archive-samples.js';
import { createMemoryStorage } from '../../../support/store/memory-storage.js';

const [U, V] = [asUserId('u'), asUserId('v')];

/** Two commits of three entries each, and one of a single deletion. */
async function commitsOf(keptEntries?: number) {
  const storage = createMemoryStorage();
  const { log } = await makeArchive(storage);
  const jobs = [job('u', 'a', 'j1'), job('u', 'a', 'j2')];
  const one = await log.append(draft({ sessions: [session('u', 'a')], jobs }));
  const sessions = [session('u', 'a'), session('v', 'b')];
  const two = await log.append(draft({ base: 1, sessions, jobs: [job('v', 'b', 'k')] }));
  const deletions = [deletionEntry('u', 'a')];
  const three = await log.append(draft({ base: 2, deletions }));
  const read: number[] = [];
  const counted = {
    get epoch() {
      return log.epoch;
    },
    read: (number: number) => {
      read.push(number);
      return log.read(number);
    },
    reread: (number: number) => log.reread(number),
    preparedManifest: () => undefined,
  } as unknown as CommitLog;
  const changes = new CommitsByUser(storage, counted, keptEntries);
  return { storage, log, changes, read, commits: [one, two, three] as const };
}

describe('the changes of a commit', () => {
  it('are given user by user, and read once for all of them', async () => {
    const { changes, read, commits } = await commitsOf();
    const [, { digest }] = commits;
    const [ofU, ofV] = [await changes.changes(2, U), await changes.changes(2, V)];
    expect(ofU).toEqual({
      number: 2,
      digest,
      sessions: [session('u', 'a')],
      deletions: [],
      jobs: [],
    });
    expect(ofV).toMatchObject({ sessions: [session('v', 'b')], jobs: [job('v', 'b', 'k')] });
    expect(await changes.changes(1, V)).toBeUndefined();
    expect(await changes.changes(3, U)).toMatchObject({ deletions: [deletionEntry('u', 'a')] });
    expect(read).toEqual([2, 1, 3]);
  });

  it('are read again after they could not be read', async () => {
    const { changes, storage, commits } = await commitsOf();
    const { path } = commits[0].jobs ?? { path: '' };
    const bytes = await storage.get(path);
    await storage.delete(path);
    await expect(changes.changes(1, U)).rejects.toThrow('is missing');
    await storage.put(path, bytes);
    expect((await changes.changes(1, U))?.jobs).toHaveLength(2);
  });

  it('are read again after an erasure', async () => {
    const { changes, log, read } = await commitsOf();
    await changes.changes(1, U);
    log.forget();
    await changes.changes(1, U);
    await changes.changes(1, U);
    expect(read).toEqual([1, 1]);
  });
});

describe('in memory', () => {
  it.each([
    ['no more entries than fit', 5, [1, 2, 1]],
    ['as many as fit', 6, [1, 2]],
  ])('are %s', async (_, kept, expected) => {
    const { changes, read } = await commitsOf(kept);
    for (const number of [1, 2, 1]) await changes.changes(number, U);
    expect(read).toEqual(expected);
  });

  it('is the newest commit, however many entries it has', async () => {
    const { changes, read } = await commitsOf(1);
    for (const number of [1, 1, 2, 2]) await changes.changes(number, U);
    expect(read).toEqual([1, 2]);
  });

  it('stay those that were used last', async () => {
    const { changes, read } = await commitsOf(6);
    for (const number of [1, 2, 1, 3, 1, 2]) await changes.changes(number, U);
    expect(read).toEqual([1, 2, 3, 2]);
  });

  it('are counted with deletions, and no longer once they are evicted', async () => {
    const { changes, read } = await commitsOf(4);
    for (const number of [3, 1, 3, 1]) await changes.changes(number, U);
    expect(read).toEqual([3, 1]);
    for (const number of [2, 3]) await changes.changes(number, U);
    expect(read).toEqual([3, 1, 2, 3]);
    await changes.changes(2, U);
    expect(read).toEqual([3, 1, 2, 3]);
  });

  it('are not counted twice if the commit was evicted while it was read', async () => {
    const { changes, log, read } = await commitsOf(6);
    const first = changes.changes(1, U);
    log.forget();
    await Promise.all([first, changes.changes(1, U)]);
    for (const number of [2, 1, 2]) await changes.changes(number, U);
    expect(read).toEqual([1, 1, 2]);
  });

  it('are not those of an evicted commit, whose room is free', async () => {
    const { changes, read } = await commitsOf(4);
    for (const number of [1, 3]) await changes.changes(number, U);
    changes.forget(1);
    for (const number of [2, 3, 1]) await changes.changes(number, U);
    expect(read).toEqual([1, 3, 2, 1]);
  });

  it('stays a commit that is still being read', async () => {
    const { changes, read } = await commitsOf(1);
    await Promise.all([changes.changes(1, U), changes.changes(3, U), changes.changes(1, V)]);
    expect(read.toSorted()).toEqual([1, 3]);
  });
});

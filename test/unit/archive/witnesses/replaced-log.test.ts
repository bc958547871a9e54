/** Another state of the archive is put in the place of this one while a run is at work. */
import { expect, it } from 'vitest';
import { assertNotCut } from '../../../../src/archive/witnesses/cut-log.js';
import type { ErasureEntry } from '../../../../src/archive/log/commit.js';
import { commitPath } from '../../../../src/archive/paths.js';
import { StorageError } from '../../../../src/storage/storage-errors.js';
import {
  draft,
  makeArchive,
  reopened,
  runOf,
  session,
} from '../../../support/store/archive-samples.js';
import { copyOf, createMemoryStorage } from '../../../support/store/memory-storage.js';
import { fault } from '../../../support/base/fault.js';
import { archiveOfTwoCommits } from '../../../support/store/archive-of-two-commits.js';

it(
  "another commit of the newest one's number, or none, is noticed before any deletion",
  fault('F-115'),
  async () => {
    const { archive, storage } = await archiveOfTwoCommits();
    const other = copyOf(storage);
    await other.delete(commitPath(2));
    const there = reopened(archive, other);
    await there.log.append(draft({ base: 1, sessions: [session('u', 'held')] }));
    await assertNotCut(archive);
    await storage.put(commitPath(2), await other.get(commitPath(2)));
    await expect(assertNotCut(archive)).rejects.toMatchObject({
      problem: 'chain',
      path: commitPath(2),
      message: expect.stringContaining(
        'another state of the archive was put in its place',
      ) as string,
    });
    await storage.delete(commitPath(2));
    await expect(assertNotCut(archive)).rejects.toMatchObject({ problem: 'missing' });
  },
);

it(
  'A log whose newest commit is not there any more takes no commit that removes files',
  fault('F-115'),
  async () => {
    const { archive, storage } = await archiveOfTwoCommits();
    await storage.delete(commitPath(2));
    const removing = draft({ base: 2, removed: ['tables/jobs/dt=2026-11-02/x-1.parquet'] });
    await expect(archive.log.append({ ...removing, kind: 'compact' })).rejects.toMatchObject({
      problem: 'missing',
    });
    expect(await storage.stat(commitPath(3))).toBeUndefined();
  },
);

it('A log whose newest commit is not there any more takes no step of an erasure either', async () => {
  const { archive, storage } = await archiveOfTwoCommits();
  await storage.delete(commitPath(2));
  const step: ErasureEntry = { stage: 'finished', id: runOf('E'), begun: 2 };
  const erasing = draft({ base: 2, erasure: () => Promise.resolve(step) });
  await expect(archive.log.append(erasing)).rejects.toMatchObject({ problem: 'missing' });
  expect(await storage.stat(commitPath(3))).toBeUndefined();
});

it('A commit that removes nothing does not read the newest one again', async () => {
  const { archive, storage } = await archiveOfTwoCommits();
  storage.calls.clear();
  await archive.log.append(draft({ base: 2, sessions: [session('u', 'c')] }));
  expect(storage.calls.get(`get ${commitPath(2)}`)).toBeUndefined();
});

it('A log without a commit has nothing that could be replaced', async () => {
  const { log } = await makeArchive(createMemoryStorage());
  await log.assertStands();
});

it('A newest commit that cannot be read now is not taken for replaced', async () => {
  const { archive, storage } = await archiveOfTwoCommits();
  const failure = new StorageError('no answer', { trouble: 'network' });
  let fails = false;
  const get = (path: string) =>
    fails && path === commitPath(2) ? Promise.reject(failure) : storage.get(path);
  const { log } = reopened(archive, { ...storage, get });
  await log.head();
  fails = true;
  await expect(log.assertStands()).rejects.toBe(failure);
});

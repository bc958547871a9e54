/** The end of the log is missing: what was made from a later commit tells, before anything is deleted. */
import { expect, it } from 'vitest';
import { assertNotCut } from '../../../../src/archive/witnesses/cut-log.js';
import {
  commitPath,
  lapPath,
  manifestPath,
  snapshotPath,
  timestampPath,
} from '../../../../src/archive/paths.js';
import { firstLap, writeLap } from '../../../../src/archive/laps.js';
import type { Storage } from '../../../../src/storage/storage.js';
import {
  draft,
  makeArchive,
  reopened,
  runOf,
  session,
} from '../../../support/store/archive-samples.js';
import { createMemoryStorage } from '../../../support/store/memory-storage.js';
import { fault } from '../../../support/base/fault.js';
import { archiveOfTwoCommits } from '../../../support/store/archive-of-two-commits.js';

const SHA = 'a'.repeat(64);

it.each([
  ['a snapshot', snapshotPath(2, runOf('C')), 2],
  ['a time stamp', timestampPath(2, SHA), 2],
  ['the list of the commit after it', manifestPath('users', 3, SHA), 2],
  ['a list of much later', manifestPath('jobs', 12, SHA), 11],
])(
  'a log whose newest commit is lost is noticed by %s',
  fault('F-111'),
  async (_, path, number) => {
    const { archive, storage } = await archiveOfTwoCommits();
    await storage.put(path, Buffer.from('x'));
    await storage.delete(commitPath(2));
    await expect(assertNotCut(reopened(archive))).rejects.toMatchObject({
      name: 'IntegrityError',
      problem: 'missing',
      path: commitPath(number),
      message: expect.stringContaining(`${path} was made after it`) as string,
    });
  },
);

it('a lost newest commit is noticed by the newest of several, and where no commit is left', async () => {
  const { archive, storage } = await archiveOfTwoCommits();
  for (const path of [manifestPath('jobs', 12, SHA), snapshotPath(2, runOf('C'))]) {
    await storage.put(path, Buffer.from('x'));
  }
  for (const number of [2, 1]) {
    await storage.delete(commitPath(number));
    await expect(assertNotCut(reopened(archive))).rejects.toMatchObject({
      problem: 'missing',
      path: commitPath(11),
    });
  }
});

it(
  'a log is not cut where a run died before its commit, nor by what is older or not ours',
  fault('F-111'),
  async () => {
    const { archive, storage } = await archiveOfTwoCommits();
    for (const path of [
      manifestPath('jobs', 3, SHA),
      snapshotPath(1, runOf('C')),
      '_snapshots/999999999999.txt',
    ]) {
      await storage.put(path, Buffer.from('x'));
    }
    await assertNotCut(reopened(archive));
    await assertNotCut(await makeArchive(createMemoryStorage()));
  },
);

it('a log is not taken for cut where another run has put the commit since the log was read', async () => {
  const { archive, storage } = await archiveOfTwoCommits();
  const busy: Storage = {
    ...storage,
    async *list(...asked) {
      if (asked[0] === '_snapshots/') {
        await archive.log.append(draft({ base: 2, sessions: [session('u', 'c')] }));
        await storage.put(snapshotPath(3, runOf('C')), Buffer.from('x'));
      }
      yield* storage.list(...asked);
    },
  };
  await assertNotCut(reopened(archive, busy));
});

it(
  'another log of the same archive in its place is noticed by what a run has known',
  fault('F-134'),
  async () => {
    const { archive, storage } = await archiveOfTwoCommits();
    await writeLap(storage, 'all', { ...firstLap(0), head: { number: 2, digest: SHA } });
    await expect(assertNotCut(reopened(archive))).rejects.toMatchObject({
      name: 'IntegrityError',
      problem: 'chain',
      path: lapPath('all'),
    });
  },
);

it('a log is not taken for another one by what a run has known of it', async () => {
  const { archive, storage } = await archiveOfTwoCommits();
  const head = await archive.log.head();
  const known = { number: 2, digest: head?.digest ?? null };
  await writeLap(storage, 'all', { ...firstLap(0), head: known });
  await assertNotCut(reopened(archive));
});

it(
  'a log whose newest commit is lost is noticed by a lap that a run saved after it',
  fault('F-111'),
  async () => {
    const { archive, storage } = await archiveOfTwoCommits();
    const known = { number: 2, digest: (await archive.log.head())?.digest ?? null };
    await writeLap(storage, '3-of-16', { ...firstLap(0), head: known });
    await storage.delete(commitPath(2));
    await expect(assertNotCut(reopened(archive))).rejects.toMatchObject({
      problem: 'missing',
      path: commitPath(2),
      message: expect.stringContaining(`${lapPath('3-of-16')} was made after it`) as string,
    });
  },
);

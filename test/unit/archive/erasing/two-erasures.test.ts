/** An erasure is lost and begun again: two receipts stand at the same time, and the first has left files aside. */
import { describe, expect, it } from 'vitest';
import type { Archive } from '../../../../src/archive/archive.js';
import { lostErasures } from '../../../../src/archive/erasing/erasures.js';
import { planPath, redactedManifestPath, redactedPath } from '../../../../src/archive/paths.js';
import {
  finishErasure,
  finishErasures,
  finishLost,
} from '../../../../src/archive/erasing/finish-erasure.js';
import { disregardLost } from '../../../../src/archive/erasing/finish-lost.js';
import { reopened, runOf } from '../../../support/store/archive-samples.js';
import {
  ANN,
  archiveOfThree,
  BegunErasure,
  processes,
} from '../../../support/store/begun-erasure.js';
import { copyOf, type MemoryStorage } from '../../../support/store/memory-storage.js';

const [first, second] = [runOf('E'), runOf('G')];
const finishing = (archive: Archive) => ({ archive, run: runOf('F'), checkpoint: 3 });
const isDead = () => Promise.resolve(true);
const aside = ({ place }: MemoryStorage) =>
  [...place.objects.keys()].filter((path) => path.startsWith('_erasures/')).sort();

/** Both receipts, commits 4 and 5, name commits 1 and 2; the second has its plan. */
async function begunTwice() {
  const { archive, storage } = await archiveOfThree();
  await new BegunErasure(archive).begin();
  await storage.delete(planPath(first));
  const again = { ...reopened(archive), processes };
  await again.index.refresh();
  const lost = await disregardLost(again);
  await new BegunErasure(again, ANN, 'G').begin(undefined, lost);
  const fresh = reopened(archive);
  await fresh.index.refresh();
  return { storage, archive: fresh };
}

/** Of both, all that was aside is lost, and their commits are redacted. */
async function lostTwice() {
  const { archive, storage } = await begunTwice();
  const elsewhere = copyOf(storage);
  await finishErasure(finishing(reopened(archive, elsewhere)), second);
  for (const [path, bytes] of elsewhere.place.objects) {
    if (/^_commits\/0+[12]\./.test(path)) await storage.put(path, bytes);
  }
  for (const path of aside(storage)) await storage.delete(path);
  const fresh = reopened(archive);
  await fresh.index.refresh();
  return { storage, archive: fresh };
}

async function checkpointsOf(archive: Archive, numbers: readonly number[]) {
  const commits = await Promise.all(numbers.map((number) => archive.log.read(number)));
  return commits.map(({ checkpoint }) => checkpoint);
}

describe('two erasures', () => {
  it('the one with a plan is finished first, the lost one by the same run and checkpoint', async () => {
    const { archive, storage } = await begunTwice();
    const finished = await finishErasures(finishing(archive), isDead);
    expect(finished).toEqual([6, 7]);
    expect(await checkpointsOf(archive, finished)).toEqual([3, 4]);
    const ended = await Promise.all(finished.map((number) => archive.log.read(number)));
    expect(ended.map(({ erasure }) => erasure?.id)).toEqual([second, first]);
    expect(aside(storage)).toEqual([]);
  });

  it('what the lost one put aside goes with the other: it may name whom that one erases', async () => {
    const { archive, storage } = await begunTwice();
    const left = [1, 2].map((number) => redactedPath(first, number));
    const lists = [redactedManifestPath('jobs', first, 1), redactedManifestPath('users', first, 1)];
    const there = [...left, ...lists].sort();
    const ofFirst = () => aside(storage).filter((path) => path.includes(first));
    expect(ofFirst()).toEqual(there);
    // for a commit of which the other says nothing
    const other = redactedPath(first, 3);
    await storage.put(other, Buffer.of(1));
    await finishErasure(finishing(archive), second);
    expect(ofFirst()).toEqual([other]);
  });

  it('two that are lost are finished one after the other, each with a checkpoint of its own', async () => {
    const { archive } = await lostTwice();
    const finished = await finishErasures(finishing(archive), isDead);
    expect(finished).toEqual([6, 7]);
    expect(await checkpointsOf(archive, finished)).toEqual([3, 4]);
  });

  it('one that another run has finished meanwhile is not finished once more', async () => {
    const { archive } = await lostTwice();
    const lost = await lostErasures(archive);
    expect(lost.map(({ receipt }) => receipt)).toEqual([4, 5]);
    const other = reopened(archive);
    await other.index.refresh();
    await finishErasures(finishing(other), isDead);
    expect(await finishLost(finishing(archive), lost)).toEqual([]);
    expect((await archive.log.head())?.number).toBe(7);
  });
});

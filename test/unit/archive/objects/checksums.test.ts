/** The list of checksums while the archive is being rewritten. */
import { expect, it } from 'vitest';
import type { Archive } from '../../../../src/archive/archive.js';
import {
  archiveChecksums,
  type ObjectChecksum,
} from '../../../../src/archive/objects/checksums.js';
import { ErasureUnfinishedError } from '../../../../src/archive/archive-errors.js';
import { commitPath, timestampPath } from '../../../../src/archive/paths.js';
import { sha256Hex } from '../../../../src/base/digest.js';
import { finishErasure } from '../../../../src/archive/erasing/finish-erasure.js';
import { reopened } from '../../../support/store/archive-samples.js';
import { archiveOfThree, BegunErasure } from '../../../support/store/begun-erasure.js';
import type { MemoryStorage } from '../../../support/store/memory-storage.js';

async function finish({ archive, run }: BegunErasure): Promise<void> {
  await finishErasure({ archive, run, checkpoint: 2 }, run);
}

async function checksumsOf(archive: Archive): Promise<ObjectChecksum[]> {
  const sums: ObjectChecksum[] = [];
  for await (const sum of archiveChecksums(archive)) sums.push(sum);
  return sums;
}

/** The lines that do not hold. */
function wrongIn(storage: MemoryStorage, sums: readonly ObjectChecksum[]) {
  return sums.filter(({ path, sha256 }) => {
    const bytes = storage.place.objects.get(path);
    return !bytes || sha256Hex(bytes) !== sha256;
  });
}

it('no list is made while an erasure is open: commits have old bytes or new ones', async () => {
  const { archive, storage } = await archiveOfThree();
  const begun = new BegunErasure(archive);
  await begun.begin();
  await expect(checksumsOf(reopened(archive))).rejects.toThrow(ErasureUnfinishedError);
  await finish(begun);
  expect(wrongIn(storage, await checksumsOf(reopened(archive)))).toEqual([]);
});

it('tokens of time-stamp authorities are in the list, but for those of unlisted commits', async () => {
  const { archive, storage } = await archiveOfThree();
  const { number = 0 } = (await archive.log.head()) ?? {};
  const stamps = [1, number + 1].map((of) => timestampPath(of, 'ab'.repeat(32)));
  for (const path of stamps) await storage.put(path, Buffer.from('a token'));
  const sums = await checksumsOf(reopened(archive));
  expect(wrongIn(storage, sums)).toEqual([]);
  expect(sums.map(({ path }) => path).filter((path) => path.startsWith('_timestamps/'))).toEqual(
    stamps.slice(0, 1),
  );
});

it.each([1, 2, 3])(
  'An erasure that begins and ends while commit %i is read gives the list of what is left',
  async (number) => {
    const { archive, storage } = await archiveOfThree();
    const other = reopened(archive);
    let isErased = false;
    const get = storage.get.bind(storage);
    storage.get = async (path) => {
      const bytes = await get(path);
      if (path !== commitPath(number) || isErased || !other.index.through) return bytes;
      isErased = true;
      const begun = new BegunErasure(archive);
      await begun.begin();
      await finish(begun);
      return bytes; // those from before
    };
    await other.index.refresh();
    other.log.forget();
    const sums = await checksumsOf(other);
    expect(isErased).toBe(true);
    expect(wrongIn(storage, sums)).toEqual([]);
    expect(sums.map(({ path }) => path)).toContain(commitPath(5));
  },
);

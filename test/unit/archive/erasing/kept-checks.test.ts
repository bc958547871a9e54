/** An erasure outdates all times of checks that were saved before; those of who stays are put aside, and saved again at its end. */
import { expect, it } from 'vitest';
import type { Archive } from '../../../../src/archive/archive.js';
import { CHECKS_PREFIX, checksPath } from '../../../../src/archive/paths.js';
import { checksLeftPath } from '../../../../src/archive/erasing/erasure-target.js';
import { finishErasure } from '../../../../src/archive/erasing/finish-erasure.js';
import { encodeChecks } from '../../../../src/archive/state/saved-checks.js';
import { checksLine, noChecks } from '../../../../src/archive/state/user-checks.js';
import { asUserId } from '../../../../src/model/ids.js';
import { reopened, runOf } from '../../../support/store/archive-samples.js';
import { archiveOfThree, BegunErasure } from '../../../support/store/begun-erasure.js';
import { savedChecks } from '../../../support/store/stored-checks.js';
import type { MemoryStorage } from '../../../support/store/memory-storage.js';

const id = runOf('E');
const bens = noChecks(asUserId('ben'), 9);
const finishing = (archive: Archive, letter = 'F') => ({
  archive,
  run: runOf(letter),
  checkpoint: 3,
});
const checks = ({ place }: MemoryStorage) =>
  [...place.objects.keys()].filter((path) => path.startsWith(CHECKS_PREFIX));

/** The receipt of Ann's erasure stands, and these times of checks are aside. */
async function begun(lines = [checksLine(bens, 1)]) {
  const { archive, storage } = await archiveOfThree();
  const { number } = await new BegunErasure(archive).begin();
  const left = await encodeChecks({ number: 3, digest: archive.index.digestOf(3) }, lines);
  await storage.put(checksLeftPath(id), left);
  return { archive, storage, receipt: number };
}

it('times of checks of who stays are saved under the commit that says that the erasure is finished', async () => {
  const { archive, storage } = await begun();
  const fresh = reopened(archive);
  expect(await finishErasure(finishing(fresh), id)).toBe(5);
  expect(checks(storage)).toEqual([checksPath(5, id)]);
  expect(await savedChecks(storage, fresh.index, 'ben')).toEqual(bens);
});

it('times of checks are not saved where none are left', async () => {
  const { archive, storage } = await begun([]);
  await finishErasure(finishing(reopened(archive)), id);
  expect(checks(storage)).toEqual([]);
});

it('times of checks do not keep an erasure from its end where they cannot be read', async () => {
  const { archive, storage } = await begun();
  await storage.put(checksLeftPath(id), Buffer.from('no gzip'));
  expect(await finishErasure(finishing(reopened(archive)), id)).toBe(5);
  expect(checks(storage)).toEqual([]);
});

it.each([
  ['is finished', true],
  ['has begun', false],
])(
  'times of checks are not saved where a later erasure %s: they may be of whom it erases',
  async (_, isFinished) => {
    const { archive, storage } = await begun();
    const prepared = [...storage.place.objects].filter(([path]) => path.startsWith('_erasures/'));
    const stale = reopened(archive);
    const other = reopened(archive);
    await finishErasure(finishing(other), id);
    await new BegunErasure(other, { users: ['ben'], sessions: [] }, 'G').begin();
    if (isFinished) await finishErasure(finishing(other, 'G'), runOf('G'));
    for (const path of checks(storage)) await storage.delete(path);
    // a run that was taken for dead goes on with the first
    for (const [path, bytes] of prepared) await storage.put(path, bytes);
    expect(await finishErasure(finishing(stale), id)).toBeUndefined();
    expect(checks(storage)).toEqual([]);
  },
);

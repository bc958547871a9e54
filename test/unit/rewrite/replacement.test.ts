import { expect, it } from 'vitest';
import type { Archive } from '../../../src/archive/archive.js';
import { removeOld } from '../../../src/rewrite/replacement.js';
import {
  draft,
  makeArchive,
  putPart,
  reopened,
  runOf,
  session,
} from '../../support/store/archive-samples.js';
import { createMemoryStorage } from '../../support/store/memory-storage.js';

const DAY_MS = 86_400_000;

/** Of which one part file was replaced by another, and still stands. */
async function rewrittenArchive() {
  const storage = createMemoryStorage();
  const archive = await makeArchive(storage);
  const old = await putPart(storage, { run: runOf('A'), n: 1, rows: 2 });
  await archive.log.append(draft({ files: [old], sessions: [session('u', 'a')] }));
  const files = [await putPart(storage, { run: runOf('B'), n: 1, rows: 2 })];
  const removed = [old.path];
  await archive.index.refresh();
  await archive.log.append(draft({ base: 1, run: runOf('B'), files, removed }));
  const left = () => [...storage.place.objects.keys()].filter((path) => path.includes(old.path));
  return { archive, removed, left };
}

async function beginErasure(archive: Archive): Promise<void> {
  const id = runOf('E');
  const counts = { sessions: 0, jobs: 0, rows: {}, workbooks: 0, artifacts: 0, artifact_bytes: 0 };
  const asked = { users: 1, sessions: 0 };
  const begun = { stage: 'begun' as const, id, reason: null, commits: [], asked, erased: counts };
  await archive.log.append({
    ...draft({ kind: 'erase', base: 2, run: id }),
    erasure: () => Promise.resolve(begun),
  });
}

// I-37 in FORMAT.md
it('replaced files are retired for their readers', async () => {
  const { archive, removed, left } = await rewrittenArchive();
  await removeOld(archive, removed, DAY_MS);
  expect(left()).toEqual([`_retired/${removed[0]}`]);
});

it('nothing is retired if an erasure has begun since: it has read _retired/ already', async () => {
  const { archive, removed, left } = await rewrittenArchive();
  await beginErasure(reopened(archive));
  await removeOld(archive, removed, DAY_MS);
  expect(left()).toEqual([]);
});

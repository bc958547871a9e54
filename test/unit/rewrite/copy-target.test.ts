/** A copy removes what the archive does not have, and puts its commits: not of the archive itself, and not beside an export. */
import { expect, it } from 'vitest';
import { ArchiveRun } from '../../../src/archive/runs/archive-run.js';
import { systemClock } from '../../../src/base/runtime.js';
import { commitPath, COPY_MARKER_PATH, partPath } from '../../../src/archive/paths.js';
import { copyProven } from '../../../src/rewrite/copy.js';
import { putCommit } from '../../../src/rewrite/copy-target.js';
import { knowing, reopened, runOf } from '../../support/store/archive-samples.js';
import { archiveOfThree } from '../../support/store/begun-erasure.js';
import {
  createMemoryStorage,
  MemoryPlace,
  type MemoryStorage,
} from '../../support/store/memory-storage.js';
import { jsonl } from '../../support/store/written-jobs.js';

const { signal } = new AbortController();

async function sampled() {
  const { archive } = await archiveOfThree();
  const own = { ...archive, ...knowing(jsonl) };
  const copy = (target: MemoryStorage) =>
    copyProven({ archive: own, target, concurrency: 2, signal });
  return { own, copy };
}

it.each([false, true])(
  'The archive itself is no target, by whatever name (left behind by a copy: %s)',
  async (isLeft) => {
    const { own, copy } = await sampled();
    const { place } = own.storage as MemoryStorage;
    // what a run has written and not committed yet
    const part = partPath('jobs', '2026-11-02', runOf('P'), 1, jsonl.extension);
    await own.storage.put(part, Buffer.from('x'));
    if (isLeft) await own.storage.put(COPY_MARKER_PATH, Buffer.from(`${own.identity.id}\n`));
    const other = { ...createMemoryStorage(place), location: 'another name of it' };
    await expect(copy(other)).rejects.toThrow('is the archive itself under another name');
    expect(place.objects.has(part)).toBe(true);
    expect(place.objects.has(COPY_MARKER_PATH)).toBe(false);
  },
);

it('A run that is at work in the copy keeps what it has written: copied is when it has ended, or counts as dead', async () => {
  const { own, copy } = await sampled();
  const target = createMemoryStorage(new MemoryPlace());
  await copy(target);
  const there = { ...reopened(own, target), clock: systemClock }; // a still one would renew the lease without end
  const run = new ArchiveRun({ archive: there, run: runOf('R') });
  await run.begin();
  const part = partPath('jobs', '2026-11-02', runOf('R'), 1, jsonl.extension);
  await target.put(part, Buffer.from('x'));
  await expect(copy(target)).rejects.toThrow(`run ${runOf('R')} is at work in `);
  expect(target.place.objects.has(part)).toBe(true);
  target.place.now = () => Date.now() + 25 * 3_600_000;
  await copy(target);
  await run.end();
  await copy(target);
  expect(target.place.objects.has(part)).toBe(false);
});

it('A commit that somebody has just put in the copy is not replaced', async () => {
  const { own } = await sampled();
  const target = createMemoryStorage();
  const bytes = await own.storage.get(commitPath(1));
  await putCommit(target, { number: 1, bytes });
  await putCommit(target, { number: 1, bytes }); // the same one, as of an erasure
  const theirs = Buffer.from(
    Buffer.from(bytes)
      .toString()
      .replace(/"digest": "./, '"digest": "x'),
  );
  await target.put(commitPath(1), theirs);
  await expect(putCommit(target, { number: 1, bytes })).rejects.toThrow(
    "has a commit 1 that is not the archive's",
  );
  expect(Buffer.from(await target.get(commitPath(1)))).toEqual(theirs);
});

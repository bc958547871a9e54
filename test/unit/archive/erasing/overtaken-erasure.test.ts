/** A process that was taken for dead goes on with an erasure that others have finished, and a later one, too. */
import { describe, expect, it } from 'vitest';
import type { Archive } from '../../../../src/archive/archive.js';
import { decodeCommit } from '../../../../src/archive/log/commit-reader.js';
import {
  commitPath,
  redactedManifestPath,
  redactedPath,
  snapshotPath,
} from '../../../../src/archive/paths.js';
import { finishErasure } from '../../../../src/archive/erasing/finish-erasure.js';
import type { Storage } from '../../../../src/storage/storage.js';
import { reopened, runOf } from '../../../support/store/archive-samples.js';
import { archiveOfThree, BegunErasure } from '../../../support/store/begun-erasure.js';
import { copyOf, type MemoryStorage } from '../../../support/store/memory-storage.js';

const id = runOf('E');

/** The receipt of Ann's erasure stands. */
async function begun() {
  const { archive, storage } = await archiveOfThree();
  await storage.put(snapshotPath(3, runOf('C')), Buffer.of(1));
  const { number } = await new BegunErasure(archive).begin();
  return { archive, storage, receipt: number };
}

const finishing = (archive: Archive) => ({
  archive,
  run: runOf('F'),
  checkpoint: 3,
});

const commitAndLists = (storage: MemoryStorage) => [
  decodeCommit(1, storage.place.objects.get(commitPath(1))!),
  [...storage.place.objects.keys()].filter((path) => path.includes('.jobs.')),
];

/** Another process finishes the erasure, and then a later one, of Ben. */
async function overtaken(archive: Archive, storage: MemoryStorage) {
  const fresh = reopened(archive);
  await finishErasure(finishing(fresh), id);
  await new BegunErasure(fresh, { users: ['ben'], sessions: [] }, 'G').begin();
  await finishErasure({ ...finishing(fresh), run: runOf('G') }, runOf('G'));
  const after = commitAndLists(storage);
  expect(after[0]).toMatchObject({ redacted_by: 6, jobs: null });
  return after;
}

it('what a later erasure left out does not come back when the first goes on after it', async () => {
  const { archive, storage } = await begun();
  const prepared = [...storage.place.objects].filter(([path]) => path.startsWith('_erasures/'));
  const stale = reopened(archive);
  const after = await overtaken(archive, storage);
  // a run that was taken for dead right after the first receipt goes on
  for (const [path, bytes] of prepared) await storage.put(path, bytes);
  await finishErasure(finishing(stale), id);
  expect(commitAndLists(storage)).toEqual(after);
});

it.each([
  ['the first removes a snapshot', snapshotPath(3, runOf('C'))],
  ['the first publishes a list of jobs that it has read', redactedManifestPath('jobs', id, 1)],
  ['the first replaces a commit that it has read', redactedPath(id, 1)],
  ['the first replaces a commit that it has compared', `swap of ${commitPath(1)}`],
])(
  'what a later erasure has left out does not come back where that was done just before %s',
  async (_, moment) => {
    const { archive, storage } = await begun();
    let after: unknown;
    const pausedAt = async (path: string) => {
      if (path === moment && after === undefined) after = await overtaken(archive, storage);
    };
    const slow: Storage = {
      ...storage,
      async *read(path, range) {
        const chunks: Uint8Array[] = [];
        for await (const chunk of storage.read(path, range)) chunks.push(chunk);
        await pausedAt(path);
        yield* chunks;
      },
      async get(path) {
        const bytes = await storage.get(path);
        await pausedAt(path);
        return bytes;
      },
      async compareAndSwap(path, ...rest) {
        await pausedAt(`swap of ${path}`);
        return storage.compareAndSwap(path, ...rest);
      },
      async delete(path) {
        await pausedAt(path);
        await storage.delete(path);
      },
    };
    await finishErasure(finishing(reopened(archive, slow)), id);
    expect(after).toBeDefined();
    expect(commitAndLists(storage)).toEqual(after);
  },
);

describe('overtaken erasure', () => {
  const refusing = (storage: Storage, times: number): Storage => {
    let left = times;
    return {
      ...storage,
      compareAndSwap: (path, seen, bytes) =>
        path === commitPath(1) && left-- > 0
          ? Promise.resolve(false)
          : storage.compareAndSwap(path, seen, bytes),
    };
  };

  it('a commit that changes while it is redacted is redacted all the same', async () => {
    const { archive, storage, receipt } = await begun();
    const [before] = commitAndLists(storage);
    await finishErasure(finishing(reopened(archive, refusing(storage, 4))), id);
    expect(before).not.toHaveProperty('redacted_by');
    expect(commitAndLists(storage)[0]).toMatchObject({ redacted_by: receipt });
  });

  it('a commit that changes while it is redacted is not said to be redacted where it never is', async () => {
    const { archive, storage, receipt } = await begun();
    const erasing = finishErasure(finishing(reopened(archive, refusing(storage, 5))), id);
    await expect(erasing).rejects.toMatchObject({
      code: 'ARCHIVE_COMMIT_CONFLICT',
      sessions: [],
      newest: receipt,
    });
    expect((await reopened(archive).log.head())?.number).toBe(receipt);
  });

  it("a commit that changes during its redaction is not replaced without the receipt's word", async () => {
    const { archive, storage } = await begun();
    const path = redactedPath(id, 1);
    /** @param forgedAt which of the reads gives what is not redacted */
    const reading = async (on: MemoryStorage, forgedAt: number) => {
      let reads = 0;
      const get: Storage['get'] = (of) =>
        on.get(of === path && ++reads === forgedAt ? commitPath(1) : of);
      const erasing = finishErasure(finishing(reopened(archive, { ...on, get })), id);
      const error = await erasing.then(
        () => undefined,
        (cause: unknown) => cause,
      );
      return { reads, error };
    };
    const { reads } = await reading(copyOf(storage), 0);
    const before = await storage.get(commitPath(1));
    const { error } = await reading(storage, reads);
    expect(error).toMatchObject({ path, problem: 'digest' });
    expect(await storage.get(commitPath(1))).toEqual(before);
  });
});

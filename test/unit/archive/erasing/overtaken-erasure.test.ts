/** A process that was taken for dead goes on with an erasure that others have finished, and a later one, too. */
import { describe, expect, it } from 'vitest';
import type { Archive } from '../../../../src/archive/archive.js';
import { decodeCommit } from '../../../../src/archive/log/commit-reader.js';
import {
  commitPath,
  COMMITS_PREFIX,
  redactedManifestPath,
  redactedPath,
  snapshotPath,
} from '../../../../src/archive/paths.js';
import { listedIn } from '../../../../src/archive/log/manifest.js';
import { verifyArchive } from '../../../../src/archive/verify/verify.js';
import { finishErasure } from '../../../../src/archive/erasing/finish-erasure.js';
import type { Storage } from '../../../../src/storage/storage.js';
import {
  makeJsonlArchive,
  reopened,
  runOf,
  userEntry,
} from '../../../support/store/archive-samples.js';
import { archiveOfThree, BegunErasure } from '../../../support/store/begun-erasure.js';
import {
  copyOf,
  createMemoryStorage,
  type MemoryStorage,
} from '../../../support/store/memory-storage.js';
import { commitJobs } from '../../../support/store/written-jobs.js';

const id = runOf('E');

/** The receipt of Ann's erasure stands. @param slow the storage of a process that has read the log before that */
async function begun(slow = (storage: MemoryStorage): Storage => storage) {
  const { archive, storage } = await archiveOfThree();
  await storage.put(snapshotPath(3, runOf('C')), Buffer.of(1));
  const early = reopened(archive, slow(storage));
  await early.index.refresh();
  const { number } = await new BegunErasure(archive).begin();
  return { archive, storage, early, receipt: number };
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

describe.each([
  ['has read the log before its receipt', true],
  ['has not', false],
])('the first erasure is overtaken, by a run that %s', (_, isEarly) => {
  it.each([
    ['removes a snapshot', snapshotPath(3, runOf('C'))],
    ['publishes a list of jobs that it has read', redactedManifestPath('jobs', id, 1)],
    ['replaces a commit that it has read', redactedPath(id, 1)],
    ['replaces a commit that it has compared', `swap of ${commitPath(1)}`],
  ])('what the later one has left out does not come back just before it %s', async (_, moment) => {
    let [archive, storage]: [Archive?, MemoryStorage?] = [];
    let after: unknown;
    const pausedAt = async (path: string) => {
      if (path !== moment || after !== undefined || !archive || !storage) return;
      after = await overtaken(archive, storage);
    };
    const slow = (fast: MemoryStorage): Storage => ({
      ...fast,
      async *read(path, range) {
        const chunks: Uint8Array[] = [];
        for await (const chunk of fast.read(path, range)) chunks.push(chunk);
        await pausedAt(path);
        yield* chunks;
      },
      async get(path) {
        const bytes = await fast.get(path);
        await pausedAt(path);
        return bytes;
      },
      async compareAndSwap(path, ...rest) {
        await pausedAt(`swap of ${path}`);
        return fast.compareAndSwap(path, ...rest);
      },
      async delete(path) {
        await pausedAt(path);
        await fast.delete(path);
      },
    });
    const all = await begun(slow);
    ({ archive, storage } = all);
    const first = isEarly ? all.early : reopened(archive, slow(storage));
    await finishErasure(finishing(first), id);
    expect(after).toBeDefined();
    expect(commitAndLists(storage)).toEqual(after);
  });
});

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
    const { storage, early, receipt } = await begun((fast) => refusing(fast, 4));
    const [before] = commitAndLists(storage);
    await finishErasure(finishing(early), id);
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

/** Runs `then` once, right before the manifests that lie beside the commits are listed. */
function beforeListing(storage: MemoryStorage, then: () => Promise<void>): Storage {
  let isFirst = true;
  return {
    ...storage,
    async *list(prefix, options) {
      // who looks for the newest commit says after which
      if (isFirst && prefix === COMMITS_PREFIX && options?.after === undefined) {
        isFirst = false;
        await then();
      }
      yield* storage.list(prefix, options);
    },
  };
}

it('a list that a later erasure has put beside its commit stays, though that names another yet', async () => {
  const storage = createMemoryStorage();
  const archive = await makeJsonlArchive(storage);
  const people = ['ann', 'ben', 'cyd'];
  const jobs = people.map((user) => ({ user, session: `${user}-1`, job: `${user}-2` }));
  await commitJobs(archive, jobs, { over: { users: people.map((user) => userEntry(user)) } });
  await archive.index.refresh();
  await new BegunErasure(archive).begin();
  const last = runOf('G');
  let second: Promise<unknown> | undefined;
  const overtaking = (): Promise<void> =>
    new Promise((goOn, fail) => {
      const waiting: Storage = {
        ...storage,
        async compareAndSwap(path, ...rest) {
          goOn();
          await first;
          return storage.compareAndSwap(path, ...rest);
        },
      };
      const other = reopened(archive, waiting);
      second = (async () => {
        await finishErasure(finishing(reopened(archive)), id);
        await new BegunErasure(other, { users: ['ben'], sessions: [] }, 'G').begin();
        await finishErasure({ ...finishing(other), run: last }, last);
      })();
      second.catch(fail);
    });
  const first: Promise<unknown> = finishErasure(
    finishing(reopened(archive, beforeListing(storage, overtaking))),
    id,
  );
  await first;
  await second;
  const after = reopened(archive);
  const commit = await after.log.read(1);
  const listed = await listedIn(after, commit);
  expect([commit.redacted_by, listed.map(({ user }) => user)]).toEqual([4, ['cyd']]);
  expect((await verifyArchive(reopened(archive))).problems).toEqual([]);
});

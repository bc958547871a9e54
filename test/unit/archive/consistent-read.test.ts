import { describe, expect, it } from 'vitest';
import type { Archive } from '../../../src/archive/archive.js';
import type { ErasureEntry } from '../../../src/archive/log/commit.js';
import { readConsistently, watchRewrites } from '../../../src/archive/consistent-read.js';
import { retryOnRewrite } from '../../../src/archive/retry-on-rewrite.js';
import {
  hasLeft,
  replacedObjects,
  replacementsOf,
} from '../../../src/archive/objects/replaced-objects.js';
import {
  uselessArtifacts,
  unnamedParts,
  uselessManifests,
} from '../../../src/archive/objects/unnamed-objects.js';
import { RewrittenMeanwhileError } from '../../../src/archive/archive-errors.js';
import { workbookPath } from '../../../src/archive/paths.js';
import {
  draft,
  makeArchive,
  partFor,
  putArtifact,
  putPart,
  reopened,
  runOf,
  session,
} from '../../support/store/archive-samples.js';
import { createMemoryStorage } from '../../support/store/memory-storage.js';
import { fault } from '../../support/base/fault.js';

const { path: PART } = partFor({ run: runOf('A'), n: 1, rows: 2 });

/** One part file and an artifact, in one commit; another run can replace the part file. */
async function archiveOfOne() {
  const storage = createMemoryStorage();
  const archive = await makeArchive(storage);
  await archive.log.append(
    draft({
      files: [await putPart(storage, { run: runOf('A'), n: 1, rows: 2 })],
      sessions: [session('u', 'a')],
    }),
  );
  await archive.index.refresh();
  const replace = async () => {
    const merged = await putPart(storage, { run: runOf('B'), n: 1, rows: 2 });
    const { log } = reopened(archive);
    await log.append(draft({ run: runOf('B'), base: 1, files: [merged], removed: [PART] }));
    return merged.path;
  };
  return { storage, archive, replace };
}

/** By another run; as the log tells of it. */
async function erase(archive: Archive): Promise<void> {
  const { log } = reopened(archive);
  const base = (await log.head())?.number ?? 0;
  const erasure: ErasureEntry = { stage: 'finished', id: runOf('E'), begun: base };
  const entry = () => Promise.resolve(erasure);
  await log.append(draft({ kind: 'erase', run: runOf('E'), base, erasure: entry }));
}

describe('consistent read', () => {
  const error = new Error('a file is not there');

  it('what is made from an archive counts where nothing was rewritten, and so do its errors', async () => {
    const { archive } = await archiveOfOne();
    expect(await readConsistently(archive, 'copy', () => Promise.resolve(7))).toBe(7);
    const failed = readConsistently(archive, 'copy', () => Promise.reject(error));
    await expect(failed).rejects.toBe(error);
  });

  it('a reading has failed because of a rewrite where a file has left meanwhile', async () => {
    const { archive, replace } = await archiveOfOne();
    const epoch = archive.log.epoch;
    const failed = readConsistently(archive, 'report', async () => {
      await replace();
      throw error;
    });
    await expect(failed).rejects.toMatchObject({
      message: 'memory was compacted or erased from while the report was made: try again',
      code: 'ARCHIVE_REWRITTEN_MEANWHILE',
      disposition: 'retry',
      failure: 'locked',
      cause: error,
    });
    expect(archive.log.epoch).toBeGreaterThan(epoch);
  });

  it('a reading counts in spite of a compaction, and not of an erasure', async () => {
    const { archive, replace } = await archiveOfOne();
    expect(await readConsistently(archive, 'copy', () => replace())).toContain('tables/jobs/');
    const other = await archiveOfOne();
    const made = readConsistently(other.archive, 'copy', async () => {
      await erase(other.archive);
    });
    await expect(made).rejects.toMatchObject({ name: 'RewrittenMeanwhileError' });
    expect(await readConsistently(other.archive, 'copy', () => Promise.resolve(7))).toBe(7);
  });

  it('what is made from an archive is watched from the newest commit on', async () => {
    const { archive, replace } = await archiveOfOne();
    const before = await watchRewrites(archive);
    expect(await before()).toBe(false);
    await replace();
    const since = await watchRewrites(archive);
    expect([await before(), await since()]).toEqual([true, false]);
    await erase(archive);
    expect(await since()).toBe(true);
    expect(await (await watchRewrites(archive))()).toBe(false);
  });

  it('what is made from an archive is watched in each of its files', async () => {
    const { archive, storage, replace } = await archiveOfOne();
    const other = await putPart(storage, { run: runOf('C'), n: 1, rows: 1 });
    await archive.log.append(draft({ run: runOf('C'), base: 1, files: [other] }));
    const since = await watchRewrites(archive);
    await replace();
    expect(await since()).toBe(true);
  });

  it('what is made from an archive is made again up to ten times', async () => {
    let attempts = 0;
    const rewritten = new RewrittenMeanwhileError('memory', 'copy');
    const failing = (until: number, how: Error) =>
      retryOnRewrite(() => (++attempts < until ? Promise.reject(how) : Promise.resolve(attempts)));
    expect(await failing(10, rewritten)).toBe(10);
    attempts = 0;
    await expect(failing(11, rewritten)).rejects.toBe(rewritten);
    attempts = 0;
    await expect(failing(2, error)).rejects.toBe(error);
    expect(attempts).toBe(1);
  });
});

describe('consistent read', () => {
  const replaced = async (archive: Archive) => {
    const found: { path: string; removedAtMs: number }[] = [];
    for await (const { path, removedAtMs } of replacedObjects(archive)) {
      found.push({ path, removedAtMs });
    }
    return found;
  };

  // I-37 in FORMAT.md
  it('a replaced file stands where it was once the log has removed it, since that commit', async () => {
    const { archive, storage, replace } = await archiveOfOne();
    expect(await replaced(archive)).toEqual([]);
    const merged = await replace();
    await archive.index.refresh();
    const removedAtMs = Date.parse((await archive.log.read(2)).created_at);
    expect(await replaced(archive)).toEqual([{ path: PART, removedAtMs }]);
    expect([PART, merged, 'x'].map((path) => hasLeft(archive, path))).toEqual([true, false, false]);
    await storage.delete(PART);
    expect(await replaced(archive)).toEqual([]);
  });

  it('a replaced file costs no request where none was ever replaced', async () => {
    const { archive, storage } = await archiveOfOne();
    storage.calls.clear();
    await replaced(archive);
    expect(storage.calls.get('list')).toBeUndefined();
  });

  it('a replaced file has not left where a later commit has added it again', async () => {
    const { archive, replace } = await archiveOfOne();
    await replace();
    const { entry } = partFor({ run: runOf('A'), n: 1, rows: 2 });
    await archive.log.append(draft({ base: 2, files: [entry] }));
    await archive.index.refresh();
    expect([hasLeft(archive, PART), await replaced(archive)]).toEqual([false, []]);
  });
});

const paths = (archive: Archive, ...removed: string[]) =>
  replacementsOf(archive, removed).map(({ path }) => path);

it(
  "the log's own file has taken a replaced one's place, through later rewrites",
  fault('F-116'),
  async () => {
    const { archive, storage, replace } = await archiveOfOne();
    const other = await putPart(storage, { run: runOf('C'), n: 1, rows: 1 });
    await archive.log.append(draft({ run: runOf('C'), base: 1, files: [other] }));
    await archive.index.refresh();
    expect([paths(archive, PART), paths(archive)]).toEqual([[], []]);
    const merged = await replace();
    await archive.index.refresh();
    expect([paths(archive, PART), paths(archive, other.path)]).toEqual([[merged], []]);
    const again = await putPart(storage, { run: runOf('D'), n: 1, rows: 3 });
    const removed = [other.path, merged];
    await archive.log.append(draft({ run: runOf('D'), base: 3, files: [again], removed }));
    await archive.index.refresh();
    expect(replacementsOf(archive, [PART])).toEqual([again]);
    expect(paths(archive, PART, merged, other.path)).toEqual([again.path]);
  },
);

it('nothing stands for a replaced file where its rows were erased or have expired', async () => {
  const { archive } = await archiveOfOne();
  await archive.log.append(draft({ run: runOf('B'), base: 1, removed: [PART] }));
  await archive.index.refresh();
  expect(paths(archive, PART)).toEqual([]);
});

it('what no commit names is listed by run, ordered by path, without what a commit has removed', async () => {
  const { archive, storage, replace } = await archiveOfOne();
  await replace();
  await archive.index.refresh();
  await storage.put(workbookPath(runOf('C')), Buffer.from('a workbook'));
  const two = await putPart(storage, { run: runOf('C'), n: 2, rows: 1 });
  const one = await putPart(storage, { run: runOf('C'), n: 1, rows: 1 });
  const other = await putPart(storage, { run: runOf('D'), n: 1, rows: 1 });
  for (const path of ['tables/jobs/.DS_Store', 'tables/notes.txt']) {
    await storage.put(path, Buffer.from('x'));
  }
  expect([...(await unnamedParts(archive))]).toEqual([
    [runOf('C'), [one.path, two.path]],
    [runOf('D'), [other.path]],
  ]);
});

it('what no commit names is an artifact whose writer did not know of the newest erasure', async () => {
  const { archive, storage } = await archiveOfOne();
  const { path } = await putArtifact(storage, 'nobody names it');
  storage.calls.clear();
  expect(await uselessArtifacts(archive)).toEqual([]);
  expect(storage.calls.get('list')).toBeUndefined();
  await erase(archive);
  await archive.index.refresh();
  expect(await uselessArtifacts(archive)).toEqual([path]);
});

it("no commit names a jobs manifest for another commit's number, in a log read after it", async () => {
  const manifest = (number: number) =>
    `_commits/${String(number).padStart(12, '0')}.${'ab'.repeat(32)}.jobs.jsonl.gz`;
  const { archive, storage, replace } = await archiveOfOne();
  for (const number of [1, 2, 3]) await storage.put(manifest(number), Buffer.from('list'));
  expect(await uselessManifests(archive)).toEqual([manifest(1)]);
  await replace();
  expect(await uselessManifests(archive)).toEqual([manifest(1), manifest(2)]);
});

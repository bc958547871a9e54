/** Commits that replace files: of two that rewrite the same file the second is refused. */
import { expect, it } from 'vitest';
import { filesOfTable } from '../../../../src/archive/archive.js';
import { retire, retireRemoved } from '../../../../src/archive/parts/retired.js';
import { ObjectNotFoundError } from '../../../../src/storage/storage-errors.js';
import {
  draft,
  makeArchive,
  putPart,
  reopened,
  runOf,
  session,
} from '../../../support/store/archive-samples.js';
import { createMemoryStorage } from '../../../support/store/memory-storage.js';

async function archiveOfTwoParts() {
  const storage = createMemoryStorage();
  const archive = await makeArchive(storage);
  const files = [
    await putPart(storage, { run: runOf('A'), n: 1, rows: 2 }),
    await putPart(storage, { run: runOf('A'), n: 2, rows: 3 }),
  ] as const;
  await archive.log.append(draft({ files, sessions: [session('u', 'a')] }));
  const paths = files.map(({ path }) => path);
  const rewrite = async (letter: string, removed = paths) => ({
    ...draft({ kind: 'compact', base: 1, run: runOf(letter), removed }),
    files: [await putPart(storage, { run: runOf(letter), n: 1, rows: 5 })],
  });
  return { storage, archive, paths, rewrite };
}

// I-16 in FORMAT.md
it('the second of two rewrites of the same file is refused', async () => {
  const { archive, paths, rewrite } = await archiveOfTwoParts();
  const other = reopened(archive);
  await archive.log.append(await rewrite('B'));
  await expect(other.log.append(await rewrite('C', paths.slice(1)))).rejects.toMatchObject({
    name: 'CommitConflictError',
    sessions: [],
    newest: 2,
    message: 'another run has rewritten files or sessions of this checkpoint, up to commit 2',
  });
  expect((await filesOfTable(reopened(archive), 'jobs')).map(({ rows }) => rows)).toEqual([5]);
});

it('an export and a rewrite do not conflict', async () => {
  const { archive, rewrite, storage } = await archiveOfTwoParts();
  await reopened(archive).log.append(await rewrite('B'));
  const part = await putPart(storage, { run: runOf('D'), n: 1, rows: 7 });
  const changes = { files: [part], sessions: [session('u', 'a')] };
  await archive.log.append(draft({ base: 1, run: runOf('D'), ...changes }));
  expect((await filesOfTable(archive, 'jobs')).map(({ rows }) => rows)).toEqual([5, 7]);
});

it('a draft is refused if it says that another commit outdates it', async () => {
  const { archive, rewrite } = await archiveOfTwoParts();
  const isOutdatedBy = ({ files }: { files: readonly unknown[] }) => files.length > 0;
  await reopened(archive).log.append(await rewrite('B', []));
  await expect(
    archive.log.append({ ...draft({ base: 1, run: runOf('C') }), isOutdatedBy }),
  ).rejects.toMatchObject({ name: 'CommitConflictError' });
});

// I-37 in FORMAT.md
it('a retired file is read through its old path, and no other object is', async () => {
  const { storage, archive, paths, rewrite } = await archiveOfTwoParts();
  const [path = ''] = paths;
  const before = storage.place.objects.get(path);
  await archive.log.append(await rewrite('B'));
  await archive.index.refresh();
  expect(await retireRemoved(archive)).toBe(2);
  await retire(storage, path);
  expect(storage.place.objects.has(path)).toBe(false);
  const chunks: Uint8Array[] = [];
  for await (const chunk of archive.storage.read(path)) chunks.push(chunk);
  expect(Buffer.concat(chunks)).toEqual(Buffer.from(before ?? []));
  await storage.delete(`_retired/${path}`);
  await expect(archive.storage.read(path)[Symbol.asyncIterator]().next()).rejects.toThrow(
    ObjectNotFoundError,
  );
});

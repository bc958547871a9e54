/** Commits that replace files: of two that rewrite the same file the second is refused. */
import { expect, it } from 'vitest';
import { filesOfTable } from '../../../../src/archive/archive.js';
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

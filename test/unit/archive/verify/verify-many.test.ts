import { mkdtemp, readFile, rename, rm, symlink, truncate, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import type { Archive } from '../../../../src/archive/archive.js';
import type { NamedObject } from '../../../../src/archive/objects/checked-objects.js';
import { commitPath } from '../../../../src/archive/paths.js';
import { verifyArchive, type VerifyReport } from '../../../../src/archive/verify/verify.js';
import { createLocalStorage } from '../../../../src/storage/local/local-storage.js';
import { SymbolicLinkError } from '../../../../src/storage/storage-errors.js';
import { type Storage } from '../../../../src/storage/storage.js';
import { PublishBatch } from '../../../../src/storage/publish-batch.js';
import {
  artifactFor,
  draft,
  makeArchive,
  putArtifact,
  putNaming,
} from '../../../support/store/archive-samples.js';

/** So many that they are read by threads. */
const samples = Array.from({ length: 230 }, (_, n) => artifactFor(`n,square\n${n},${n * n}\n`));

let directory: string;
let storage: Storage;
let archive: Archive;
beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'jobvault-many-'));
  storage = createLocalStorage({ directory });
  archive = await makeArchive(storage);
  const publications = samples.map(async ({ entry, content }) => {
    const staged = await storage.stage();
    await staged.write(content);
    await staged.close();
    return { staged, path: entry.path };
  });
  const batch = new PublishBatch(storage);
  for (const { staged, path } of await Promise.all(publications)) await batch.publish(staged, path);
  await batch.makeDurable();
  await name(samples.map(({ entry }) => entry));
});
afterEach(async () => {
  await storage.close();
  await rm(directory, { recursive: true });
});

async function name(artifacts: readonly NamedObject[], over = {}): Promise<void> {
  const files = [await putNaming(storage, artifacts, over)];
  await archive.log.append(draft({ base: archive.index.through, files }));
  await archive.index.refresh();
}

function verify(): Promise<VerifyReport> {
  return verifyArchive(archive);
}

function fileOf(index: number): string {
  return join(directory, samples[index]?.entry.path ?? '');
}

/** Files that the storage has read, beside those that threads have. */
function readByStorage(): () => number {
  const read = vi.spyOn(storage, 'read');
  return () => read.mock.calls.filter(([path]) => path.startsWith('artifacts/')).length;
}

it('reads every byte of many files, in threads', async () => {
  const [part] = archive.index.contents.files.values();
  const bytes = samples.reduce((sum, { entry }) => sum + entry.bytes, part?.bytes ?? 0);
  const count = readByStorage();
  expect(await verify()).toMatchObject({ artifacts: 230, bytes, unread: 0, problems: [] });
  expect(count()).toBe(0);
});

it('reads few files without threads, which would take longer to start', async () => {
  await storage.close();
  storage = createLocalStorage({ directory: join(directory, 'few') });
  archive = await makeArchive(storage);
  await name([await putArtifact(storage, 'one')]);
  const count = readByStorage();
  expect(await verify()).toMatchObject({ artifacts: 1, problems: [] });
  expect(count()).toBe(1);
});

it('finds what is damaged, cut or missing among many files', async () => {
  const intact = samples[7]?.content ?? Buffer.from('');
  await writeFile(fileOf(7), Buffer.from(intact).fill(65, 3, 4));
  await truncate(fileOf(8), 5);
  await rm(fileOf(9));
  const { problems } = await verify();
  const expected = [
    { path: samples[7]?.entry.path, problem: 'digest' },
    { path: samples[8]?.entry.path, problem: 'size' },
    { path: samples[9]?.entry.path, problem: 'missing' },
  ];
  expect(problems.map(({ path, problem }) => ({ path, problem }))).toEqual(
    expected.sort((a, b) => ((a.path ?? '') < (b.path ?? '') ? -1 : 1)),
  );
});

it('finds damage in a file that is too large to be hashed together with others', async () => {
  const { entry, content } = artifactFor('large '.repeat(1_500_000));
  const staged = await storage.stage();
  await staged.write(content);
  await staged.close();
  await staged.publish(entry.path);
  await name([entry], { n: 2 });
  const count = readByStorage();
  expect(await verify()).toMatchObject({ artifacts: 231, problems: [] });
  expect(count()).toBe(0);
  await writeFile(join(directory, entry.path), Buffer.from(content).fill(65, 3, 4));
  expect((await verify()).problems).toMatchObject([{ path: entry.path, problem: 'digest' }]);
});

it('reads a long log in threads, and finds what is damaged, cut, missing or a link', async () => {
  const text = 'x'.repeat(70_000);
  for (let base = archive.index.through; base < 210; base++) {
    const scope = base === 150 ? { text } : {};
    await archive.log.append(draft({ base, scope }));
  }
  const commitFile = (number: number): string => join(directory, commitPath(number));
  const read = vi.spyOn(storage, 'read');
  const readCommits = () => read.mock.calls.filter(([path]) => path.startsWith('_commits/'));
  expect(await verify()).toMatchObject({ commits: 210, problems: [] });
  // it is larger than what is read together
  expect(readCommits()).toEqual([[commitPath(151)]]);
  const bytes = await readFile(commitFile(20));
  await writeFile(
    commitFile(20),
    Buffer.from(bytes.toString().replace('"base": 19', '"base": 18')),
  );
  await truncate(commitFile(40), 50);
  await rm(commitFile(60));
  const { problems } = await verify();
  expect(problems.map(({ path, problem }) => [path, problem])).toEqual([
    [commitPath(20), 'digest'],
    [commitPath(40), 'unreadable'],
    [commitPath(60), 'missing'],
  ]);
  await rename(commitFile(80), join(directory, 'elsewhere'));
  await symlink('../elsewhere', commitFile(80));
  await expect(verify()).rejects.toThrow(SymbolicLinkError);
});

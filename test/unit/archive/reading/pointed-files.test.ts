/** What counts or links files vouches that they are in the archive, as they were. */
import { expect, it } from 'vitest';
import { checkPointedFiles, pointedFile } from '../../../../src/archive/reading/pointed-files.js';
import { draft, makeArchive, putArtifact } from '../../../support/store/archive-samples.js';
import { createMemoryStorage } from '../../../support/store/memory-storage.js';

async function archiveOfTwo() {
  const storage = createMemoryStorage();
  const archive = await makeArchive(storage);
  const artifacts = [await putArtifact(storage, 'one'), await putArtifact(storage, 'two')];
  await archive.log.append(draft({ artifacts }));
  await archive.index.refresh();
  return { archive, storage, artifacts, paths: artifacts.map(({ path }) => path) };
}

it('a file to which a row points is what the log says of it', async () => {
  const { archive, artifacts, paths } = await archiveOfTwo();
  expect(pointedFile(archive, paths[1] ?? '')).toEqual(artifacts[1]);
  await checkPointedFiles(archive, new Set(paths));
});

it('a file that no commit names is missing, whatever lies there', async () => {
  const { archive, storage, paths } = await archiveOfTwo();
  const { path } = await putArtifact(storage, 'three');
  const missing = { path, problem: 'missing', detail: 'is in a row, but in no commit' };
  expect(() => pointedFile(archive, path)).toThrow(expect.objectContaining(missing));
  await expect(checkPointedFiles(archive, [...paths, path])).rejects.toMatchObject(missing);
});

it('each of the files is read: one that is lost or altered is told', async () => {
  const { archive, storage, paths } = await archiveOfTwo();
  const [, path = ''] = paths;
  await storage.put(path, Buffer.from('TWO'));
  await expect(checkPointedFiles(archive, paths)).rejects.toMatchObject({
    path,
    problem: 'digest',
  });
  await storage.delete(path);
  await expect(checkPointedFiles(archive, paths)).rejects.toMatchObject({
    path,
    problem: 'missing',
  });
});

it('a check of files ends with the signal', async () => {
  const { archive, paths } = await archiveOfTwo();
  const signal = AbortSignal.abort(new Error('enough'));
  await expect(checkPointedFiles(archive, paths, signal)).rejects.toThrow('enough');
});

/** An archive of five commits with everything that `verify` reads. */
import type { Archive } from '../../../src/archive/archive.js';
import type { Storage } from '../../../src/storage/storage.js';
import {
  draft,
  job,
  makeArchive,
  putArtifact,
  putNaming,
  putPart,
  runOf,
  session,
} from './archive-samples.js';

export async function makeSampleArchive(storage: Storage): Promise<Archive> {
  const archive = await makeArchive(storage);
  const run = runOf('A');
  const shared = await putArtifact(storage, 'a,b\n1,2\n');
  const artifacts = [shared, await putArtifact(storage, '')];
  await archive.log.append(
    draft({
      files: [
        await putPart(storage, { run, n: 1, rows: 5 }),
        await putPart(storage, { run, n: 1, rows: 2, table: 'blocks' }),
        await putNaming(storage, artifacts),
      ],
      sessions: [session('u', 'a'), session('v', 'b')],
      jobs: [job('u', 'a', 'j1'), job('v', 'b', 'j2')],
    }),
  );
  await archive.log.append(
    draft({
      base: 1,
      checkpoint: 2,
      files: [
        await putPart(storage, { run, n: 3, rows: 7 }),
        await putNaming(storage, [shared], { run, n: 3 }),
      ],
      sessions: [session('u', 'c')],
      jobs: [job('u', 'c', 'j3')],
    }),
  );
  const removed = await putPart(storage, { run, n: 4, rows: 1 });
  await archive.log.append(draft({ base: 2, checkpoint: 3, files: [removed] }));
  await storage.delete(removed.path);
  await archive.log.append(draft({ base: 3, checkpoint: 4, removed: [removed.path] }));
  await archive.log.append(draft({ base: 4, run: runOf('B') }));
  return archive;
}

/** Readers of an archive while an erasure has its receipt and redacts one commit after the other. */
import { expect, it } from 'vitest';
import type { Archive } from '../../../../src/archive/archive.js';
import {
  uselessArtifacts,
  uselessManifests,
} from '../../../../src/archive/objects/unnamed-objects.js';
import { commitPath, redactedPath } from '../../../../src/archive/paths.js';
import { asSessionId, asUserId } from '../../../../src/model/ids.js';
import { finishErasure } from '../../../../src/archive/erasing/finish-erasure.js';
import type { Storage } from '../../../../src/storage/storage.js';
import { makeJsonlArchive, reopened, runOf } from '../../../support/store/archive-samples.js';
import { BegunErasure } from '../../../support/store/begun-erasure.js';
import { copyOf, createMemoryStorage } from '../../../support/store/memory-storage.js';
import { commitJobs } from '../../../support/store/written-jobs.js';

const [ann, ben] = [asUserId('ann'), asUserId('ben')];
const a1 = asSessionId('a1');

/** A session of Ann that has grown by a job with each of two commits, the first of which has one of Ben, too. */
async function archiveOfTwo(): Promise<Archive> {
  const archive = await makeJsonlArchive(createMemoryStorage());
  const first = { user: 'ann', session: 'a1', job: 'j1', files: ['of ann'] };
  await commitJobs(archive, [first, { user: 'ben', session: 'b1', job: 'k1' }]);
  await commitJobs(archive, [{ user: 'ann', session: 'a1', job: 'j2' }], { checkpoint: 2 });
  await archive.index.refresh();
  return archive;
}

/** Finishes the erasure of Ann, or stops before it redacts the given commit. */
async function redact(archive: Archive, stopsBefore?: number): Promise<void> {
  const stopped = new Error('stopped');
  const storage: Storage = {
    ...archive.storage,
    get: (path) =>
      stopsBefore !== undefined && path === redactedPath(runOf('E'), stopsBefore)
        ? Promise.reject(stopped)
        : archive.storage.get(path),
  };
  const finishing = { archive: reopened(archive, storage), run: runOf('F'), tool: 'test' };
  const finished = finishErasure({ ...finishing, checkpoint: 1 }, runOf('E'));
  if (stopsBefore === undefined) await finished;
  else await expect(finished).rejects.toBe(stopped);
}

async function jobsOf(archive: Archive, user = ann): Promise<string[] | undefined> {
  const { sessions } = await archive.states.load(user);
  const session = sessions.get(user === ann ? a1 : asSessionId('b1'));
  return session && [...session.jobs.keys()];
}

it.each([
  ['no commit is redacted', 1],
  ['one of two commits is redacted', 2],
])(
  'sessions are not there while an erasure redacts the log, with or without jobs, where %s',
  async (_, at) => {
    const archive = await archiveOfTwo();
    const reader = reopened(archive);
    expect(await jobsOf(reader)).toEqual(['j1', 'j2']);
    await new BegunErasure(archive).begin();
    await redact(archive, at);
    for (const one of [reader, reopened(archive)]) {
      expect([await jobsOf(one), await jobsOf(one, ben)]).toEqual([undefined, ['k1']]);
      expect(one.index.users).toEqual(['ben']);
    }
  },
);

it('a state is made of commits and jobs as both are before it, or after it', async () => {
  const archive = await archiveOfTwo();
  const reader = reopened(archive);
  await reader.index.refresh();
  const { through } = reader.index;
  await new BegunErasure(archive).begin();
  await redact(archive);
  const { sessions } = await reader.states.loadAsOf(ann, through);
  expect([...(sessions.get(a1)?.jobs.keys() ?? ['none'])]).toEqual(['none']);
});

it('nothing counts as useless that a commit names until it is redacted', async () => {
  const archive = await archiveOfTwo();
  await new BegunErasure(archive).begin();
  const reader = reopened(archive);
  await reader.index.refresh();
  expect(await uselessManifests(reader)).toEqual([]);
  expect(await uselessArtifacts(reader)).toEqual([]);
});

it('what lies in place of a commit is read only where the receipt vouches for it', async () => {
  const archive = await archiveOfTwo();
  await new BegunErasure(archive).begin();
  const path = redactedPath(runOf('E'), 1);
  const forged = copyOf(archive.storage as ReturnType<typeof createMemoryStorage>);
  await forged.put(path, await forged.get(commitPath(1)));
  const detail = `${path} is damaged: its SHA-256 differs from the receipt`;
  await expect(jobsOf(reopened(archive, forged))).rejects.toThrow(detail);
});

it('a commit is read as it is where nothing lies in its place any more', async () => {
  const archive = await archiveOfTwo();
  await new BegunErasure(archive).begin();
  for (const commit of [1, 2]) await archive.storage.delete(redactedPath(runOf('E'), commit));
  expect(await jobsOf(reopened(archive))).toEqual(['j1', 'j2']);
});

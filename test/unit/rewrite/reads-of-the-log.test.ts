import { expect, it } from 'vitest';
import { ErasureTarget, learnFromLog } from '../../../src/archive/erasing/erasure-target.js';
import { makeJsonlArchive, reopened, userEntry } from '../../support/store/archive-samples.js';
import { BegunErasure } from '../../support/store/begun-erasure.js';
import { erased } from '../../support/rigs/erase-rig.js';
import { createMemoryStorage } from '../../support/store/memory-storage.js';
import { commitJobs } from '../../support/store/written-jobs.js';

const NIGHTS = 30;

/** @param listed who is listed in every night */
async function manyNights(listed = ['ann', 'ben']) {
  const storage = createMemoryStorage();
  const archive = await makeJsonlArchive(storage);
  for (let night = 1; night <= NIGHTS; night++) {
    const jobs = [{ user: 'ben', session: 'b1', job: 'k1', version: night }];
    if (night === 2) jobs.push({ user: 'ann', session: 'a1', job: 'j1', version: 1 });
    const users = listed.map((user) => userEntry(user));
    await commitJobs(archive, jobs, { run: 'A', checkpoint: night, over: { users } });
  }
  storage.calls.clear();
  const read = (name: RegExp) =>
    [...storage.calls].flatMap(([call, times]) => (name.test(call) ? [times] : []));
  return { storage, archive: reopened(archive, storage), read };
}

it('the plan of an erasure reads each commit and each users manifest once', async () => {
  const { archive, read } = await manyNights();
  const erasure = new BegunErasure(archive);
  await erasure.survey();
  const planned = await erasure.plan();
  expect(planned.erased.sessions).toBe(1);
  // but for the number after them, which is free
  const commits = read(/_commits\/0*([1-9]|[12]\d|30)\.json$/);
  const manifests = read(/\.users\.jsonl\.gz$/);
  expect([commits.length, manifests.length]).toEqual([NIGHTS, NIGHTS]);
  expect([Math.max(...commits), Math.max(...manifests)]).toEqual([1, 1]);
});

it('an erasure reads a commit that names nobody of it twice: before its receipt, and after it', async () => {
  const { archive, read } = await manyNights(['ben']);
  expect((await erased(archive)).status).toBe('erased');
  // neither the one with her session, nor the newest one, which every look for later ones reads
  const commits = read(/_commits\/0*([13-9]|[12]\d)\.json$/);
  expect(new Set(commits)).toEqual(new Set([2]));
  expect(commits).toHaveLength(NIGHTS - 2);
});

it('an erasure reads a commit that it redacts three times, whatever manifests it has', async () => {
  const { archive, read } = await manyNights();
  expect((await erased(archive)).status).toBe('erased');
  // Every night lists her; the second has a session of hers, too. Of the three, one is after it was replaced.
  expect(read(/_commits\/0*2\.json$/)).toEqual([3]);
  const others = read(/_commits\/0*([13-9]|[12]\d)\.json$/);
  expect(others).toHaveLength(NIGHTS - 2);
  expect(new Set(others)).toEqual(new Set([3]));
});

it('the plan of an erasure looks at no file of a night that only listed whom it erases', async () => {
  const { archive, read } = await manyNights();
  const erasure = new BegunErasure(archive);
  await erasure.survey();
  await erasure.plan();
  expect(read(/tables\/jobs\//)).toEqual([expect.any(Number)]);
});

it('what an erasure has learned of the log is added to by later commits alone', async () => {
  const { archive, storage, read } = await manyNights();
  const target = new ErasureTarget({ users: ['ann'], sessions: [] });
  await archive.index.refresh();
  await learnFromLog(archive, target);
  await commitJobs(archive, [{ user: 'ann', session: 'a2', job: 'j2' }], { run: 'B' });
  storage.calls.clear();
  await archive.index.refresh();
  await learnFromLog(archive, target);
  expect([...target.sessionKeys].map(({ session }) => session)).toEqual(['a1', 'a2']);
  expect(read(/_commits\/0*[1-9]\.json$/)).toEqual([]);
});

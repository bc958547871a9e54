import { expect, it } from 'vitest';
import { ErasureTarget, learnFromLog } from '../../../src/archive/erasing/erasure-target.js';
import { contextOf } from '../../../src/archive/archive.js';
import { systemRandom } from '../../../src/base/runtime.js';
import { ulid } from '../../../src/base/ulid.js';
import { expire } from '../../../src/rewrite/expiry/expire.js';
import { FakeClock } from '../../support/base/fake-clock.js';
import {
  makeJsonlArchive,
  reopened,
  runOf,
  session,
  userEntry,
} from '../../support/store/archive-samples.js';
import { writeSnapshotIfDue } from '../../../src/archive/snapshots/write-snapshot.js';
import { impatient } from '../../support/rigs/export-rig.js';
import { BegunErasure } from '../../support/store/begun-erasure.js';
import { erased } from '../../support/rigs/erase-rig.js';
import { copyOf, createMemoryStorage } from '../../support/store/memory-storage.js';
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

const YEAR_MS = 365.25 * 86_400_000;
/** Of a log with more entries than are kept in memory. */
const MANY = 1000;
const made = new Map<number, ReturnType<typeof nightsOf>>();

/** Ann has a session of long ago, and so many others have one each of which nobody knows when it was. */
async function nightsOf(others: number) {
  const storage = createMemoryStorage();
  const archive = await makeJsonlArchive(storage);
  const old = ulid(new FakeClock(Date.UTC(2015, 5, 1)), systemRandom);
  for (let night = 1; night <= NIGHTS; night++) {
    const jobs = night === 2 ? [{ user: 'ann', session: 'a1', job: old }] : [];
    const ofOthers = Array.from({ length: others }, (_, at) =>
      session(`other ${at}`, `of ${at}`, { version: night }),
    );
    const sessions = [...jobs.map((job) => session(job.user, job.session)), ...ofOthers];
    const users = ['other 1', ...(night < 6 ? [] : ['ann'])].map((user) => userEntry(user));
    const over = { users, sessions, clock_confirmed: true } as const;
    await commitJobs(archive, jobs, { checkpoint: night, over });
  }
  await writeSnapshotIfDue({ archive, run: runOf('S') });
  return { storage, archive };
}

/** Opened anew, with how often each commit and each users manifest of the nights was read. */
async function opened(others: number, { hasSnapshot = false } = {}) {
  const making = made.get(others) ?? nightsOf(others);
  made.set(others, making);
  const { archive, ...before } = await making;
  const storage = copyOf(before.storage);
  if (!hasSnapshot) {
    for (const path of storage.place.objects.keys()) {
      if (path.startsWith('_snapshots/')) storage.place.objects.delete(path);
    }
  }
  const nights = Array.from({ length: NIGHTS }, (_, at) => String(at + 1).padStart(12, '0'));
  const readsOf = (name: RegExp) =>
    nights.map((night) =>
      [...storage.calls]
        .filter(([path]) => path.includes(`_commits/${night}.`) && name.test(path))
        .reduce((sum, [, times]) => sum + times, 0),
    );
  return {
    archive: { ...reopened(archive, storage), ...contextOf({ random: impatient }) },
    commits: () => readsOf(/\d\.json$/),
    manifests: () => readsOf(/\.users\./),
  };
}

const { signal } = new AbortController();

it.each([true, false])(
  'an expiry that refuses sessions reads a commit twice at most, planned alone (%s) or not',
  async (dryRun) => {
    const { archive, commits, manifests } = await opened(MANY);
    const found = await expire({ archive, signal }, { olderThanMs: 20 * YEAR_MS, dryRun });
    expect(found).toMatchObject({ refused: MANY, planned: 0, expired: 0 });
    // the newest is read by every look for later ones
    expect(Math.max(...commits().slice(0, -1))).toBe(2);
    expect(Math.max(...manifests())).toBe(0);
  },
);

it('the plan of an expiry of one user reads, after a snapshot, few commits', async () => {
  const { archive, commits } = await opened(MANY, { hasSnapshot: true });
  const rules = { olderThanMs: 7 * YEAR_MS, users: ['ann'], dryRun: true };
  expect(await expire({ archive, signal }, rules)).toMatchObject({ planned: 1 });
  // the night of an old session, and the newest, of which one tells the time
  const read = commits().flatMap((times, at) => (times > 0 ? [at + 1] : []));
  expect(read).toEqual([2, 27, 28, 29, 30]);
});

it('an expiry reads users manifests for its snapshot alone', async () => {
  const { archive, manifests } = await opened(2);
  const done = await expire({ archive, signal }, { olderThanMs: 7 * YEAR_MS });
  expect(done).toMatchObject({ expired: 1, refused: 2 });
  expect(new Set(manifests())).toEqual(new Set([1]));
});

it('an erasure looks for its user in no users manifest from before the first that has the user', async () => {
  const { archive, manifests } = await opened(2);
  expect((await erased(archive)).status).toBe('erased');
  // the plan and the snapshot read all of them
  expect(manifests()).toEqual(Array.from({ length: NIGHTS }, (_, at) => (at < 5 ? 2 : 3)));
});

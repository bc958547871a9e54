/** The lists of a commit while an erasure replaces them by shorter ones. */
import { beforeEach, expect, it } from 'vitest';
import type { Commit } from '../../../../src/archive/log/commit.js';
import {
  commitWithJobs,
  listedIn,
  manifestLines,
  type LinesSource,
} from '../../../../src/archive/log/manifest.js';
import {
  draft,
  job,
  makeArchive,
  session,
  userEntry,
} from '../../../support/store/archive-samples.js';
import { createMemoryStorage, type MemoryStorage } from '../../../support/store/memory-storage.js';

const ASIDE = '_erasures/01ARZ3NDEKTSV4RRFFQ69G5FAV/000000000002.jobs.jsonl.gz';

let storage: MemoryStorage;
/** Of the same session: as it was, with two jobs, and with one of them after an erasure. */
let whole: Commit;
let left: Commit;
let reread: number[];
beforeEach(async () => {
  storage = createMemoryStorage();
  const { log } = await makeArchive(storage);
  const sessions = [session('u', 's')];
  const jobs = [job('u', 's', 'a'), job('u', 's', 'b')];
  const users = [userEntry('u'), userEntry('v')];
  whole = await log.append(draft({ sessions, jobs, users }));
  const fewer = { jobs: jobs.slice(1), users: users.slice(1) };
  left = await log.append(draft({ base: 1, checkpoint: 2, sessions, ...fewer }));
  reread = [];
});

function source(now: Commit, aside?: string, read = storage): LinesSource {
  const log = {
    reread: (number: number) => {
      reread.push(number);
      return Promise.resolve(now);
    },
    preparedManifest: () => aside,
  };
  return { storage: read, log };
}

async function idsOf(from: LinesSource, commit: Commit): Promise<string[]> {
  const ids: string[] = [];
  for await (const line of manifestLines(from, 'jobs', commit)) ids.push(line.job);
  return ids;
}

it('the jobs of a commit are read as the commit names them, without a look at the log', async () => {
  expect(await idsOf(source(left), whole)).toEqual(['a', 'b']);
  expect(await commitWithJobs(source(left), whole)).toMatchObject({
    commit: { number: 1 },
    jobs: [{ job: 'a' }, { job: 'b' }],
  });
  expect(reread).toEqual([]);
});

it('the jobs of a commit are none where it has no such list', async () => {
  const none = { ...whole, jobs: null, users: null };
  expect(await idsOf(source(left), none)).toEqual([]);
  expect(await listedIn(source(left), none)).toEqual([]);
  expect(await commitWithJobs(source(left), none)).toEqual({ commit: none, jobs: [] });
});

it('the jobs of a commit are those of it by now, where their list has been replaced', async () => {
  await storage.delete(whole.jobs!.path);
  await storage.delete(whole.users!.path);
  expect(await idsOf(source(left), whole)).toEqual(['b']);
  expect(await commitWithJobs(source(left), whole)).toEqual({
    commit: left,
    jobs: [job('u', 's', 'b')],
  });
  expect(await listedIn(source(left), whole)).toEqual([userEntry('v')]);
  expect(reread).toEqual([1, 1, 1]);
  expect(await idsOf(source({ ...left, jobs: null }), whole)).toEqual([]);
});

it('the jobs of a commit are missing where the commit still names a list that is not there', async () => {
  await storage.delete(whole.jobs!.path);
  const missing = { problem: 'missing', path: whole.jobs!.path };
  await expect(idsOf(source(whole), whole)).rejects.toMatchObject(missing);
  await expect(commitWithJobs(source(whole), whole)).rejects.toMatchObject(missing);
});

it('the jobs of a commit are damaged where their list is, whatever the log says by now', async () => {
  storage.place.objects.set(whole.jobs!.path, Buffer.from('damaged'));
  await expect(idsOf(source(left), whole)).rejects.toMatchObject({ problem: 'size' });
  expect(reread).toEqual([]);
});

it('the list that an erasure has put aside is read where it lies, until it is published', async () => {
  const { path } = left.jobs!;
  await storage.put(ASIDE, await storage.get(path));
  await storage.delete(path);
  expect(await idsOf(source(left, ASIDE), left)).toEqual(['b']);
  expect(reread).toEqual([]);
  storage.place.objects.set(ASIDE, Buffer.from('damaged'));
  await expect(idsOf(source(left, ASIDE), left)).rejects.toMatchObject({
    problem: 'size',
    path: ASIDE,
  });
});

it('the list that an erasure has put aside is not asked for where it has been published', async () => {
  expect(await idsOf(source(left, ASIDE), left)).toEqual(['b']);
  expect(storage.calls.get(`read ${ASIDE}`)).toBeUndefined();
});

it('the list that an erasure has put aside is found where it was published between two looks', async () => {
  const { path } = left.jobs!;
  const bytes = await storage.get(path);
  await storage.delete(path);
  const publishing: MemoryStorage = {
    ...storage,
    read(from, range) {
      if (from === ASIDE) storage.place.objects.set(path, bytes);
      return storage.read(from, range);
    },
  };
  expect(await idsOf(source(left, ASIDE, publishing), left)).toEqual(['b']);
});

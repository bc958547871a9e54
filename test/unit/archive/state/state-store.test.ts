import { IntegrityError } from '../../../../src/archive/archive-errors.js';
import { expect, it } from 'vitest';
import { fromSnapshot, type Archive } from '../../../../src/archive/archive.js';
import { CommitsByUser } from '../../../../src/archive/state/commits-by-user.js';
import { stateLine } from '../../../../src/archive/state/state-line.js';
import { asJobId, asSessionId, asUserId } from '../../../../src/model/ids.js';
import type { Storage } from '../../../../src/storage/storage.js';
import {
  gapOf,
  draft,
  job,
  makeArchive,
  reopened,
  runOf,
  session,
  deletionEntry,
} from '../../../support/store/archive-samples.js';
import { erased } from '../../../support/rigs/erase-rig.js';
import { createMemoryStorage, type MemoryStorage } from '../../../support/store/memory-storage.js';
import { snapshotOf } from '../../../support/store/snapshots.js';
import type { CommitLog } from '../../../../src/archive/log/commit-log.js';
import { fault } from '../../../support/base/fault.js';

const u = asUserId('u');
const a = asSessionId('a');

async function archiveOfThree(): Promise<{ storage: MemoryStorage; archive: Archive }> {
  const storage = createMemoryStorage();
  const archive = await makeArchive(storage);
  const gap = gapOf('j1', { block_index: 2, status: 'expired', reason: 'r' });
  await archive.log.append(
    draft({
      sessions: [session('u', 'a', { total: 2, archived: 2, gaps: [gap] }), session('v', 'a')],
      jobs: [
        job('u', 'a', 'j1', { index: 1, gaps: 1, settled: false }),
        job('u', 'a', 'j0', { index: 0 }),
        job('v', 'a', 'j9'),
      ],
    }),
  );
  await archive.log.append(draft({ base: 1, sessions: [session('v', 'b')] }));
  await archive.log.append(
    draft({
      base: 2,
      sessions: [session('u', 'a', { version: 2, total: 3, archived: 3, growth: 'back' })],
      jobs: [
        job('u', 'a', 'j2', { index: 2 }),
        job('u', 'a', 'j1', { index: 1, version: 2, hash: 'new' }),
      ],
    }),
  );
  return { storage, archive };
}

const expectedA = {
  version: 2,
  metaHash: 'm1',
  total: 3,
  archived: 3,
  complete: true,
  growth: 'back',
  goneAt: null,
  gaps: [],
  deleted: false,
  withdrawn: new Map(),
};

// I-29 in FORMAT.md
it('the state is the log replayed: newest session entry, newest version of each job, in order', async () => {
  const { archive } = await archiveOfThree();
  const state = await archive.states.load(u);
  expect(state.through).toBe(3);
  expect(state.throughDigest).toBe((await archive.log.head())?.digest);
  expect([...state.sessions.keys()]).toEqual(['a']);
  const { jobs, ...rest } = state.sessions.get(a) ?? { jobs: new Map<string, never>() };
  expect(rest).toEqual(expectedA);
  expect([...jobs.keys()]).toEqual(['j0', 'j1', 'j2']);
  expect(jobs.get(asJobId('j1'))).toEqual({
    version: 2,
    hash: 'new',
    text_hash: null,
    urls: null,
    files: null,
    settled: true,
    index: 1,
    gaps: 0,
    suspicious: 0,
    seen_at: '2026-11-05T12:00:00.000Z',
  });
});

it('the state of a user is empty for a user whom the log does not have', async () => {
  const { archive } = await archiveOfThree();
  const state = await archive.states.load(asUserId('nobody'));
  expect(state.sessions.size).toBe(0);
  expect(state.through).toBe(3);
});

it('the state of a user is brought up to date after an append, by this run and others', async () => {
  const { archive } = await archiveOfThree();
  const before = await archive.states.load(u);
  await reopened(archive).log.append(
    draft({ run: runOf('B'), base: 3, sessions: [session('u', 'x')] }),
  );
  await archive.log.append(draft({ base: 3, sessions: [session('u', 'y')] }));
  const after = await archive.states.update(before);
  expect([...after.sessions.keys()]).toEqual(['a', 'x', 'y']);
  expect(after.through).toBe(5);
  expect([...before.sessions.keys()]).toEqual(['a']);
});

// I-45 in FORMAT.md
it('the state of a user is read again after an erasure: the older one has what was erased', async () => {
  const { archive } = await archiveOfThree();
  const before = await archive.states.load(asUserId('v'));
  expect([...before.sessions.keys()].toSorted()).toEqual(['a', 'b']);
  await erased(reopened(archive), { users: [], sessions: ['b'] });
  const state = await archive.states.update(before);
  expect([...state.sessions.keys()]).toEqual(['a']);
});

it('the state has since when a session is gone, also from a snapshot, until it is listed again', async () => {
  const { archive } = await archiveOfThree();
  const goneAt = '2026-11-05T12:00:00.000Z';
  const deletion = {
    user: u,
    session: a,
    deleted_at: goneAt,
    commit: 3,
    job_count: 3,
    outcome: 'deleted',
  };
  await archive.log.append(draft({ base: 3, deletions: [deletion] }));
  await archive.log.append(draft({ base: 4, sessions: [session('u', 'a', { gone_at: goneAt })] }));
  const gone = await archive.states.load(u);
  expect(gone.sessions.get(a)).toMatchObject({ goneAt, deleted: true });
  await snapshotOf(archive);
  const { sessions } = await fromSnapshot(reopened(archive)).states.load(u);
  expect(sessions).toEqual(gone.sessions);
  await archive.log.append(draft({ base: 6, sessions: [session('u', 'a')] }));
  const back = await archive.states.load(u);
  expect(back.sessions.get(a)).toMatchObject({ goneAt: null, deleted: false });
});

it('the state has what was appended before it was asked for, though a slower read is under way', async () => {
  const storage = createMemoryStorage();
  const full = await makeArchive(storage);
  for (let base = 0; base < 20; base++) await full.log.append(draft({ base }));
  let release = (): void => undefined;
  const held = new Promise<void>((resolve) => (release = resolve));
  const slow: Storage = {
    ...storage,
    async get(path) {
      if (path === '_commits/000000000001.json') await held;
      return storage.get(path);
    },
  };
  const archive = reopened(full, slow);
  const early = archive.states.load(u);
  await archive.log.append(draft({ base: 20, sessions: [session('u', 'a')] }));
  const late = archive.states.load(u);
  release();
  expect((await late).sessions.has(a)).toBe(true);
  expect((await early).user).toBe(u);
});

// I-29 in FORMAT.md
it('the state of a user remembers a deletion until the session is seen again', async () => {
  const { archive } = await archiveOfThree();
  const deletion = { user: u, session: a, deleted_at: '2026-11-05T12:00:00Z', commit: 3 };
  await archive.log.append(
    draft({ base: 3, deletions: [{ ...deletion, job_count: 3, outcome: 'deleted' }] }),
  );
  const state = await archive.states.load(u);
  expect(state.sessions.get(a)?.deleted).toBe(true);
  expect(state.sessions.get(a)?.jobs.size).toBe(3);
  await archive.log.append(draft({ base: 4, sessions: [session('u', 'a')] }));
  expect((await archive.states.load(u)).sessions.get(a)?.deleted).toBe(false);
});

// I-30 in FORMAT.md
it(
  'the state of a user is refused of a log that has lost a commit which a snapshot has seen',
  fault('F-89'),
  async () => {
    const { storage, archive } = await archiveOfThree();
    await snapshotOf(archive);
    for (const number of [3, 4]) await storage.delete(`_commits/00000000000${number}.json`);
    await expect(fromSnapshot(reopened(archive)).states.load(u)).rejects.toThrow(
      /^_commits\/000000000003\.json is missing from the log: _snapshots\/.* was made after it; this log may have been cut: compare --expect-head$/,
    );
  },
);

it('the state of a user names a jobs manifest that is damaged, and caches nothing of it', async () => {
  const { storage, archive } = await archiveOfThree();
  const path = (await archive.log.read(3)).jobs?.path ?? '';
  const bytes = storage.place.objects.get(path) ?? new Uint8Array();
  storage.place.objects.set(path, bytes.subarray(0, bytes.length - 9));
  await expect(reopened(archive).states.load(u)).rejects.toThrow(
    `${path} has ${bytes.length - 9} bytes instead of ${bytes.length}`,
  );
  // gunzip alone does not see what follows the end of its data
  storage.place.objects.set(path, Buffer.concat([bytes, Buffer.from('more')]));
  await expect(reopened(archive).states.load(u)).rejects.toThrow(IntegrityError);
  await storage.delete(path);
  await expect(reopened(archive).states.load(u)).rejects.toThrow(`${path} is missing`);
});

it('the state of a user keeps ids that are the names of something in JavaScript', async () => {
  const storage = createMemoryStorage();
  const archive = await makeArchive(storage);
  const ids = ['__proto__', 'constructor', '10', '9', 'é\ud800'];
  await archive.log.append(
    draft({
      sessions: ids.map((id) => session('__proto__', id)),
      jobs: ids.map((id, index) => job('__proto__', id, id, { index })),
    }),
  );
  const user = asUserId('__proto__');
  const state = await archive.states.load(user);
  await snapshotOf(archive);
  const back = await fromSnapshot(reopened(archive)).states.load(user);
  expect(stateLine(back)).toBe(stateLine(state));
  expect([...back.sessions.keys()].sort()).toEqual([...ids].sort());
  expect([...back.sessions.values()].map(({ jobs }) => [...jobs.keys()][0]).sort()).toEqual(
    [...ids].sort(),
  );
});

const [U, V] = [asUserId('u'), asUserId('v')];

/** Two commits of three entries each, and one of a single deletion. */
async function commitsOf(keptEntries?: number) {
  const storage = createMemoryStorage();
  const { log } = await makeArchive(storage);
  const jobs = [job('u', 'a', 'j1'), job('u', 'a', 'j2')];
  const one = await log.append(draft({ sessions: [session('u', 'a')], jobs }));
  const sessions = [session('u', 'a'), session('v', 'b')];
  const two = await log.append(draft({ base: 1, sessions, jobs: [job('v', 'b', 'k')] }));
  const deletions = [deletionEntry('u', 'a')];
  const three = await log.append(draft({ base: 2, deletions }));
  const read: number[] = [];
  const counted = {
    get epoch() {
      return log.epoch;
    },
    read: (number: number) => {
      read.push(number);
      return log.read(number);
    },
    reread: (number: number) => log.reread(number),
    preparedManifest: () => undefined,
  } as unknown as CommitLog;
  const changes = new CommitsByUser(storage, counted, keptEntries);
  return { storage, log, changes, read, commits: [one, two, three] as const };
}

it('the changes of a commit are given user by user, and read once for all of them', async () => {
  const { changes, read, commits } = await commitsOf();
  const [, { digest }] = commits;
  const [ofU, ofV] = [await changes.changes(2, U), await changes.changes(2, V)];
  expect(ofU).toEqual({
    number: 2,
    digest,
    isClockConfirmed: true,
    sessions: [session('u', 'a')],
    deletions: [],
    jobs: [],
  });
  expect(ofV).toMatchObject({ sessions: [session('v', 'b')], jobs: [job('v', 'b', 'k')] });
  expect(await changes.changes(1, V)).toBeUndefined();
  expect(await changes.changes(3, U)).toMatchObject({ deletions: [deletionEntry('u', 'a')] });
  expect(read).toEqual([2, 1, 3]);
});

it('the changes of a commit are read again after they could not be read', async () => {
  const { changes, storage, commits } = await commitsOf();
  const { path } = commits[0].jobs ?? { path: '' };
  const bytes = await storage.get(path);
  await storage.delete(path);
  await expect(changes.changes(1, U)).rejects.toThrow('is missing');
  await storage.put(path, bytes);
  expect((await changes.changes(1, U))?.jobs).toHaveLength(2);
});

it('the changes of a commit are read again after an erasure', async () => {
  const { changes, log, read } = await commitsOf();
  await changes.changes(1, U);
  log.forget();
  await changes.changes(1, U);
  await changes.changes(1, U);
  expect(read).toEqual([1, 1]);
});

it.each([
  ['no more entries than fit', 5, [1, 2, 1]],
  ['as many as fit', 6, [1, 2]],
])('entries in memory are %s', async (_, kept, expected) => {
  const { changes, read } = await commitsOf(kept);
  for (const number of [1, 2, 1]) await changes.changes(number, U);
  expect(read).toEqual(expected);
});

it('the newest commit is kept in memory, however many entries it has', async () => {
  const { changes, read } = await commitsOf(1);
  for (const number of [1, 1, 2, 2]) await changes.changes(number, U);
  expect(read).toEqual([1, 2]);
});

it('the states that were used last stay in memory', async () => {
  const { changes, read } = await commitsOf(6);
  for (const number of [1, 2, 1, 3, 1, 2]) await changes.changes(number, U);
  expect(read).toEqual([1, 2, 3, 2]);
});

it('entries in memory are counted with deletions, and no longer once they are evicted', async () => {
  const { changes, read } = await commitsOf(4);
  for (const number of [3, 1, 3, 1]) await changes.changes(number, U);
  expect(read).toEqual([3, 1]);
  for (const number of [2, 3]) await changes.changes(number, U);
  expect(read).toEqual([3, 1, 2, 3]);
  await changes.changes(2, U);
  expect(read).toEqual([3, 1, 2, 3]);
});

it('entries in memory are not counted twice if the commit was evicted while it was read', async () => {
  const { changes, log, read } = await commitsOf(6);
  const first = changes.changes(1, U);
  log.forget();
  await Promise.all([first, changes.changes(1, U)]);
  for (const number of [2, 1, 2]) await changes.changes(number, U);
  expect(read).toEqual([1, 1, 2]);
});

it('a commit that is still being read stays in memory', async () => {
  const { changes, read } = await commitsOf(1);
  await Promise.all([changes.changes(1, U), changes.changes(3, U), changes.changes(1, V)]);
  expect(read.toSorted()).toEqual([1, 3]);
});

import { describe, expect, it } from 'vitest';
import { CommitConflictError, RunAbandonedError } from '../../../../src/archive/archive-errors.js';
import { readManifest } from '../../../../src/archive/log/manifest.js';
import { StorageError } from '../../../../src/storage/storage-errors.js';
import type { Guards, HiddenObject, Storage } from '../../../../src/storage/storage.js';
import { commitPath, manifestPath } from '../../../../src/archive/paths.js';
import {
  committed,
  draft,
  job,
  makeArchive,
  ofOneJob,
  reopened,
  runOf,
  session,
} from '../../../support/store/archive-samples.js';
import { createMemoryStorage, MemoryPlace } from '../../../support/store/memory-storage.js';
import { fault } from '../../../support/base/fault.js';

function pathsOf(storage: { place: MemoryPlace }): string[] {
  return [...storage.place.objects.keys()].sort();
}

// I-9, I-10 in FORMAT.md
it('appending to the log numbers commits from 1 and chains each to the one before', async () => {
  const storage = createMemoryStorage();
  const archive = await makeArchive(storage);
  expect(await archive.log.head()).toBeNull();
  const one = await archive.log.append(draft(ofOneJob('u', 'a')));
  const two = await archive.log.append(draft({ base: 1, ...ofOneJob('u', 'b') }));
  expect([one.number, two.number]).toEqual([1, 2]);
  expect([one.previous, two.previous]).toEqual([null, one.digest]);
  expect(two.created_at).toBe('2026-11-05T12:00:00.000Z');
  expect(await committed(reopened(archive))).toEqual([one, two]);
  expect(await reopened(archive).log.head()).toEqual({ number: 2, digest: two.digest });
});

// I-20 in FORMAT.md
it('appending to the log publishes the jobs manifest of a commit under its own hash', async () => {
  const storage = createMemoryStorage();
  const archive = await makeArchive(storage);
  const jobs = Array.from({ length: 3000 }, (_, i) => job('u', 's', `job-${i} ü`, { index: i }));
  const commit = await archive.log.append(draft({ sessions: [session('u', 's')], jobs }));
  expect(commit.jobs).toMatchObject({
    path: `_commits/000000000001.${commit.jobs?.sha256 ?? ''}.jobs.jsonl.gz`,
    rows: 3000,
    bytes: storage.place.objects.get(commit.jobs?.path ?? '')?.length,
  });
  const back = [];
  if (commit.jobs)
    for await (const line of readManifest(storage, 'jobs', commit.jobs)) back.push(line);
  expect(back).toEqual(jobs);
  expect(storage.place.staged.size).toBe(0);
});

it('appending to the log writes one small object for a commit without jobs', async () => {
  const storage = createMemoryStorage();
  const archive = await makeArchive(storage);
  const commit = await archive.log.append(draft());
  expect(commit.jobs).toBeNull();
  expect(pathsOf(storage)).toEqual(['_commits/000000000001.json', 'jobvault.json']);
  expect(storage.place.staged.size).toBe(0);
});

// I-20 in FORMAT.md
it('appending to the log refuses a job whose session is not in the draft, and leaves nothing', async () => {
  const storage = createMemoryStorage();
  const archive = await makeArchive(storage);
  await expect(
    archive.log.append(draft({ sessions: [session('u', 'a')], jobs: [job('u', 'b', 'j')] })),
  ).rejects.toThrow('the session of job j is not in the draft');
  expect(pathsOf(storage)).toEqual(['jobvault.json']);
  expect(storage.place.staged.size).toBe(0);
});

it('appending to the log lists the log once, then only asks for the next number', async () => {
  const storage = createMemoryStorage();
  const archive = await makeArchive(storage);
  const listed = storage.calls.get('list') ?? 0;
  for (let i = 0; i < 20; i++) await archive.log.append(draft({ base: i }));
  expect((storage.calls.get('list') ?? 0) - listed).toBe(1);
});

describe('commit log', () => {
  it('two runs on one log both commit when they touch different sessions', async () => {
    const storage = createMemoryStorage();
    const one = await makeArchive(storage);
    const other = reopened(one);
    await Promise.all([one.log.head(), other.log.head()]);
    await one.log.append(draft(ofOneJob('u', 'a')));
    const second = await other.log.append(draft({ run: runOf('B'), ...ofOneJob('u', 'b') }));
    expect(second.number).toBe(2);
    expect(second.base).toBe(0);
  });

  // I-16 in FORMAT.md
  it('two runs on one log refuse the second when they touch the same session, and say which', async () => {
    const storage = createMemoryStorage();
    const one = await makeArchive(storage);
    const other = reopened(one);
    await one.log.append(draft({ sessions: [session('u', 'a'), session('u', 'b')] }));
    await one.log.append(draft({ sessions: [session('v', 'a'), session('u', 'a')] }));
    const losing = other.log.append(
      draft({
        run: runOf('B'),
        sessions: ['a', 'b', 'c'].map((id) => session('u', id)),
        jobs: [job('u', 'c', 'j')],
      }),
    );
    await expect(losing).rejects.toThrow(CommitConflictError);
    await expect(losing).rejects.toMatchObject({
      disposition: 'retry',
      newest: 2,
      sessions: [
        { user: 'u', session: 'a' },
        { user: 'u', session: 'b' },
      ],
    });
    expect(pathsOf(storage)).toHaveLength(3);
    expect(storage.place.staged.size).toBe(0);
    const planned = draft({ run: runOf('B'), base: 2, sessions: [session('u', 'a')] });
    expect((await other.log.append(planned)).number).toBe(3);
  });

  // I-16 in FORMAT.md
  it('two runs on one log conflict over a deletion, on either side', async () => {
    const storage = createMemoryStorage();
    const one = await makeArchive(storage);
    const other = reopened(one);
    const { user, session: id } = session('u', 'a');
    const deletion = { user, session: id, deleted_at: '2026-11-05T12:00:00Z', commit: 1 };
    await one.log.append(draft({ deletions: [{ ...deletion, job_count: 1, outcome: 'deleted' }] }));
    const run = runOf('B');
    await expect(other.log.append(draft({ run, ...ofOneJob('u', 'a') }))).rejects.toThrow(
      CommitConflictError,
    );
    await expect(
      other.log.append(
        draft({ run, deletions: [{ ...deletion, job_count: 1, outcome: 'deleted' }] }),
      ),
    ).rejects.toThrow(CommitConflictError);
    expect((await other.log.append(draft({ run, ...ofOneJob('v', 'a') }))).number).toBe(2);
  });

  it('two runs on one log do not conflict with their own commits', async () => {
    const archive = await makeArchive(createMemoryStorage());
    await archive.log.append(draft(ofOneJob('u', 'a')));
    const again = await archive.log.append(draft({ checkpoint: 2, ...ofOneJob('u', 'a') }));
    expect(again.number).toBe(2);
    await expect(
      archive.log.append(draft({ run: runOf('B'), ...ofOneJob('u', 'a') })),
    ).rejects.toThrow(CommitConflictError);
  });

  // I-17 in FORMAT.md
  it('a run that another has abandoned as dead is ended at its next commit', async () => {
    const storage = createMemoryStorage();
    const one = await makeArchive(storage);
    const sleeper = reopened(one);
    await sleeper.log.append(draft({ run: runOf('S'), ...ofOneJob('u', 'a') }));
    await one.log.append(draft({ base: 1, abandoned: [runOf('S')] }));
    const waking = sleeper.log.append(draft({ run: runOf('S'), base: 1, ...ofOneJob('u', 'z') }));
    await expect(waking).rejects.toThrow(RunAbandonedError);
    await expect(waking).rejects.toMatchObject({ failure: 'locked', commit: 2 });
    expect(pathsOf(storage).filter((path) => path.includes('/000000000003'))).toEqual([]);
  });

  it('a run abandoned as dead is ended even if it has already read the commit that says so', async () => {
    const one = await makeArchive(createMemoryStorage());
    const sleeper = reopened(one);
    await sleeper.log.append(draft({ run: runOf('S'), ...ofOneJob('u', 'a') }));
    await one.log.append(draft({ base: 1, abandoned: [runOf('S')] }));
    for (let base = 2; base < 22; base++) await one.log.append(draft({ base }));
    const { through: base } = await sleeper.states.load(session('u', 'a').user);
    expect(base).toBe(22);
    await expect(
      sleeper.log.append(draft({ run: runOf('S'), base, ...ofOneJob('u', 'z') })),
    ).rejects.toThrow('commit 2 has abandoned this run');
  });

  it('ten runs on one log number their commits without a gap and leave no orphaned jobs manifest', async () => {
    const place = new MemoryPlace();
    const archive = await makeArchive(createMemoryStorage(place));
    const racers = Array.from({ length: 10 }, (_, i) =>
      reopened(archive, createMemoryStorage(place), i + 10),
    );
    const commits = await Promise.all(
      racers.map(({ log }, i) =>
        log.append(draft({ run: runOf('ABCDEFGHJK'.charAt(i)), ...ofOneJob('u', `s${i}`) })),
      ),
    );
    expect(commits.map(({ number }) => number).sort((a, b) => a - b)).toEqual(
      Array.from({ length: 10 }, (_, i) => i + 1),
    );
    const log = await committed(reopened(archive, createMemoryStorage(place)));
    expect(log.map(({ previous }) => previous)).toEqual([
      null,
      ...log.slice(0, -1).map(({ digest }) => digest),
    ]);
    const named = new Set(log.map(({ jobs }) => jobs?.path));
    const companions = [...place.objects.keys()].filter((path) => path.endsWith('.gz'));
    expect(new Set(companions)).toEqual(named);
  });

  /** Lets a rival commit at the last moment: when the number is chosen and the list of jobs is published. */
  function overtaken(storage: Storage, rival: () => Promise<unknown>): Storage {
    let isFirst = true;
    return {
      ...storage,
      async putIfAbsent(path, bytes) {
        if (isFirst) {
          isFirst = false;
          await rival();
        }
        return storage.putIfAbsent(path, bytes);
      },
    };
  }

  it('two runs take the next number when another has theirs, also for their jobs manifest', async () => {
    const storage = createMemoryStorage();
    const one = await makeArchive(storage);
    const rival = () => one.log.append(draft(ofOneJob('u', 'a')));
    const { log } = reopened(one, overtaken(storage, rival));
    const commit = await log.append(draft({ run: runOf('B'), ...ofOneJob('u', 'b') }));
    expect(commit.number).toBe(2);
    const named = (await committed(reopened(one))).map(({ jobs }) => jobs?.path ?? '');
    expect(pathsOf(storage).filter((path) => path.endsWith('.gz'))).toEqual(named);
    expect(storage.place.staged.size).toBe(0);
  });

  it('two runs leave the jobs manifest that the winner names, though the loser had the same', async () => {
    const storage = createMemoryStorage();
    const one = await makeArchive(storage);
    const rival = () => one.log.append(draft(ofOneJob('u', 'a')));
    const { log } = reopened(one, overtaken(storage, rival));
    await expect(log.append(draft({ run: runOf('B'), ...ofOneJob('u', 'a') }))).rejects.toThrow(
      CommitConflictError,
    );
    const [commit] = await committed(reopened(one));
    expect(storage.place.objects.has(commit?.jobs?.path ?? '')).toBe(true);
  });

  it('two runs on one log delete their jobs manifest when the winner has their session', async () => {
    const storage = createMemoryStorage();
    const one = await makeArchive(storage);
    const rival = () => one.log.append(draft({ sessions: [session('u', 'a')] }));
    const { log } = reopened(one, overtaken(storage, rival));
    await expect(log.append(draft({ run: runOf('B'), ...ofOneJob('u', 'a') }))).rejects.toThrow(
      CommitConflictError,
    );
    expect(pathsOf(storage)).toEqual(['_commits/000000000001.json', 'jobvault.json']);
  });
});

describe('commit log', () => {
  const at = 1_800_000_000_000;
  /** @param hidden what the storage says; a failure where this key may not ask */
  async function archiveWith(hidden: readonly HiddenObject[] | StorageError) {
    const storage = createMemoryStorage();
    const archive = await makeArchive(storage);
    await archive.log.append(draft(ofOneJob('u', 'a')));
    const asked: unknown[] = [];
    const guards: Guards = {
      canRetain: () => Promise.resolve(false),
      retentionOf: () => Promise.resolve(undefined),
      async *hidden(...args) {
        asked.push(args);
        await Promise.resolve();
        if (hidden instanceof StorageError) throw hidden;
        yield* hidden;
      },
    };
    const info = (path: string) => ({ path, bytes: 1, modifiedAtMs: at });
    const seen: Storage = { ...storage, guards, stat: (path) => Promise.resolve(info(path)) };
    return { log: reopened(archive, seen).log, asked };
  }
  const next = () => draft({ base: 1, ...ofOneJob('u', 'b') });
  const HIDDEN = {
    name: 'IntegrityError',
    problem: 'hidden',
    path: '_commits/000000000002.json',
  };

  it.each([0, 1000])(
    'a hidden commit that would be the newest lets nothing be appended or deleted: %i ms later',
    fault('F-110'),
    async (later) => {
      const path = commitPath(2);
      const { log } = await archiveWith([{ path, sinceMs: at + later }]);
      await expect(log.append(next())).rejects.toMatchObject(HIDDEN);
      await expect(log.assertNotHidden()).rejects.toMatchObject(HIDDEN);
    },
  );

  it.each([
    ['is of an archive that was here before', { path: commitPath(2), sinceMs: at - 1000 }],
    [
      'is a list that no commit names',
      { path: manifestPath('jobs', 2, 'a'.repeat(64)), sinceMs: at + 1000 },
    ],
  ])(
    'a hidden commit is no matter where it %s; it is looked for once, after the newest',
    async (_, hidden) => {
      const { log, asked } = await archiveWith([hidden]);
      await log.append(next());
      await log.assertNotHidden();
      expect(asked).toEqual([['_commits/', commitPath(1)]]);
    },
  );

  it(
    'a hidden commit stops only what deletes where this key may not look for one',
    fault('F-110'),
    async () => {
      const denied = new StorageError('not allowed', { trouble: 'permission' });
      const { log } = await archiveWith(denied);
      await log.assertMayAppend();
      await log.append(next());
      await expect(log.assertNotHidden()).rejects.toBe(denied);
    },
  );

  it.each<Error>([
    new StorageError('no answer', { trouble: 'network' }),
    Object.assign(new Error('of something else'), { trouble: 'permission' }),
  ])(
    'a run does not begin where it is not known whether a commit is hidden: %s',
    async (failure) => {
      const { log } = await archiveWith([]);
      log.assertNotHidden = () => Promise.reject(failure);
      await expect(log.assertMayAppend()).rejects.toBe(failure);
    },
  );

  it.each<true | undefined>([true, undefined])(
    'a commit says of the clock what its run says: %s',
    async (confirmed) => {
      const { log } = await archiveWith([]);
      const { number } = await log.append({ ...next(), clock_confirmed: confirmed });
      expect((await log.read(number)).clock_confirmed).toBe(confirmed);
    },
  );
});

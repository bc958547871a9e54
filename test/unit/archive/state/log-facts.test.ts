import { describe, expect, it } from 'vitest';
import type { Archive } from '../../../../src/archive/archive.js';
import {
  type ArchivedSession,
  isLive,
  versionKey,
} from '../../../../src/archive/state/archived-session.js';
import { LogFacts } from '../../../../src/archive/state/log-facts.js';
import { asJobId, asSessionId, asUserId } from '../../../../src/model/ids.js';
import {
  deletionEntry,
  draft,
  job,
  makeArchive,
  putPart,
  reopened,
  runOf,
  session,
} from '../../../support/store/archive-samples.js';
import { createMemoryStorage } from '../../../support/store/memory-storage.js';
import { fault } from '../../../support/base/fault.js';

const U = asUserId('u');
const B = runOf('B');

async function sessionOf(archive: Archive, id: string): Promise<ArchivedSession> {
  const { sessions } = await new LogFacts(archive).sessionsOf(U);
  const found = sessions.find((one) => one.session === id);
  if (!found) throw new Error(`there is no session ${id}`);
  return found;
}

it("facts name the commits that changed a session, and the first of the last change's run", async () => {
  const archive = await makeArchive(createMemoryStorage());
  const { log } = archive;
  await log.append(draft({ sessions: [session('u', 'a')], jobs: [job('u', 'a', 'j')] }));
  await log.append(draft({ base: 1, run: B, sessions: [session('u', 'b'), session('v', 'a')] }));
  const renamed = session('u', 'a', { version: 2 });
  await log.append(draft({ base: 2, run: B, checkpoint: 2, sessions: [renamed] }));
  expect(await sessionOf(archive, 'a')).toMatchObject({
    user: 'u',
    commits: [1, 3],
    changed: { commit: 3, run: 2, atMs: Date.UTC(2026, 10, 5, 12) },
    activity: { from: 'first-seen' },
  });
  expect(await sessionOf(archive, 'b')).toMatchObject({
    commits: [2],
    changed: { commit: 2, run: 2 },
  });
});

it("facts show no change without a new version, though total or a job's time may be new", async () => {
  const archive = await makeArchive(createMemoryStorage());
  const { log } = archive;
  const one = session('u', 'a');
  await log.append(draft({ sessions: [one], jobs: [job('u', 'a', 'j')] }));
  await log.append(draft({ base: 1, sessions: [{ ...one, total: 2 }] }));
  const again = job('u', 'a', 'j', { hash: 'as corrected' });
  await log.append(draft({ base: 2, sessions: [one], jobs: [again] }));
  const { commits, hashes } = await sessionOf(archive, 'a');
  expect(commits).toEqual([1]);
  expect([...hashes]).toEqual([[versionKey(asJobId('j'), 1), 'as corrected']]);
});

it('facts have the hash of each version of each job, and the commit of each', async () => {
  const archive = await makeArchive(createMemoryStorage());
  const { log } = archive;
  const one = session('u', 'a');
  await log.append(draft({ sessions: [one], jobs: [job('u', 'a', 'j'), job('u', 'a', 'k')] }));
  const two = job('u', 'a', 'j', { version: 2, hash: 'second' });
  await log.append(draft({ base: 1, sessions: [one], jobs: [two] }));
  const { commits, hashes } = await sessionOf(archive, 'a');
  expect(commits).toEqual([1, 2]);
  expect(Object.fromEntries(hashes)).toEqual({
    '[1,"j"]': 'hash of j',
    '[1,"k"]': 'hash of k',
    '[2,"j"]': 'second',
  });
});

it('facts are as of one commit, whatever is committed while they are gathered', async () => {
  const storage = createMemoryStorage();
  const made = await makeArchive(storage);
  await made.log.append(draft({ sessions: [session('u', 'a')], jobs: [job('u', 'a', 'j')] }));
  let reads = 0;
  const archive = reopened(made, {
    ...storage,
    async *read(path, range) {
      if (++reads === 1) {
        const later = session('u', 'a', { version: 2 });
        await made.log.append(draft({ base: 1, run: B, sessions: [later] }));
        await archive.index.refresh();
      }
      yield* storage.read(path, range);
    },
  });
  const { state, sessions } = await new LogFacts(archive).sessionsOf(U);
  expect([state.through, sessions[0]?.commits]).toEqual([1, [1]]);
  expect(sessions[0]?.state.version).toBe(1);
});

it('the facts about a session include deleted sessions, which are not live', async () => {
  const archive = await makeArchive(createMemoryStorage());
  const ones = [session('u', 'a'), session('u', 'b'), session('u', 'c')];
  await archive.log.append(draft({ sessions: ones }));
  await archive.log.append(draft({ base: 1, deletions: [deletionEntry('u', 'a')] }));
  const gone = session('u', 'b', { gone_at: '2026-11-05T12:00:00.000Z' });
  await archive.log.append(draft({ base: 2, sessions: [gone] }));
  const { state, sessions } = await new LogFacts(archive).sessionsOf(U);
  expect([...state.sessions.keys()]).toEqual(['a', 'b', 'c'].map(asSessionId));
  expect(sessions.map((one) => isLive(one.state))).toEqual([false, false, true]);
});

describe('log facts', () => {
  async function archiveWithFiles() {
    const storage = createMemoryStorage();
    const archive = await makeArchive(storage);
    const part = (run: string, n: number, table = 'jobs') =>
      putPart(storage, { run: runOf(run), n, rows: 1, table });
    const jobs = await part('A', 1);
    const files = [jobs, await part('A', 1, 'datasets'), await part('A', 1, 'deletions')];
    await archive.log.append(draft({ files, sessions: [session('u', 'a')] }));
    const other = await part('B', 1);
    const sessions = [session('u', 'b')];
    await archive.log.append(draft({ base: 1, run: B, files: [other], sessions }));
    const filesOf = async (id: string) => {
      const facts = new LogFacts(archive);
      return facts.filesOf(await sessionOf(archive, id)).map(({ path }) => path);
    };
    return { archive, part, jobs, other, filesOf };
  }

  it('the files of a session are those of its commits with tables that have rows of sessions', async () => {
    const { jobs, other, filesOf } = await archiveWithFiles();
    expect(await filesOf('a')).toEqual([jobs.path]);
    expect(await filesOf('b')).toEqual([other.path]);
  });

  it('the files of a session are those of rewrites, too, once one of its own was replaced', async () => {
    const { archive, part, jobs, other, filesOf } = await archiveWithFiles();
    const merged = [await part('C', 1), await part('C', 1, 'datasets')];
    await archive.log.append(
      draft({ base: 2, run: runOf('C'), files: merged, removed: [jobs.path] }),
    );
    expect(await filesOf('a')).toEqual([merged[0]?.path]);
    expect(await filesOf('b')).toEqual([other.path]);
  });
});

describe('when a change of a history was seen after it had been read to its end', () => {
  const SEEN = Date.UTC(2026, 10, 5, 12);
  const whole = session('u', 'a');
  const j1 = job('u', 'a', 'j1');

  it.each([
    ['a new job', SEEN, job('u', 'a', 'j2')],
    ['another content of a job', SEEN, job('u', 'a', 'j1', { version: 2, hash: 'other' })],
    ['a file of it that was fetched later', undefined, job('u', 'a', 'j1', { version: 2 })],
    ['other bytes of a file', SEEN, job('u', 'a', 'j1', { version: 2, files: 'a'.repeat(64) })],
    ['a hash that was made anew', undefined, job('u', 'a', 'j1', { hash: 'other' })],
  ])('%s', fault('F-124', 'F-130'), async (_what, seen, line) => {
    const archive = await makeArchive(createMemoryStorage());
    await archive.log.append(draft({ sessions: [whole], jobs: [j1] }));
    expect((await sessionOf(archive, 'a')).changeSeenMs).toBeUndefined();
    await archive.log.append(draft({ base: 1, run: B, sessions: [whole], jobs: [line] }));
    expect((await sessionOf(archive, 'a')).changeSeenMs).toBe(seen);
  });

  it('a file that was lost and has come is none', async () => {
    const archive = await makeArchive(createMemoryStorage());
    const lacking = { ...j1, gaps: 1 };
    await archive.log.append(draft({ sessions: [whole], jobs: [lacking] }));
    const come = job('u', 'a', 'j1', { version: 2, files: 'b'.repeat(64) });
    await archive.log.append(draft({ base: 1, run: B, sessions: [whole], jobs: [come] }));
    expect((await sessionOf(archive, 'a')).changeSeenMs).toBeUndefined();
  });

  it('the clocks that have seen a session are confirmed, or one of its newest version was not', async () => {
    const archive = await makeArchive(createMemoryStorage());
    const isConfirmed = async () => (await sessionOf(archive, 'a')).isClockConfirmed;
    const byNone = { clock_confirmed: undefined };
    await archive.log.append(draft({ sessions: [whole], jobs: [j1] }));
    expect(await isConfirmed()).toBe(true);
    const settled = job('u', 'a', 'j1', { settled: true });
    await archive.log.append(
      draft({ base: 1, run: B, ...byNone, sessions: [whole], jobs: [settled] }),
    );
    expect(await isConfirmed()).toBe(false);
    const other = job('u', 'a', 'j1', { version: 2, hash: 'other' });
    await archive.log.append(draft({ base: 2, run: B, sessions: [whole], jobs: [other] }));
    expect(await isConfirmed()).toBe(true);
    const next = session('u', 'a', { version: 2 });
    await archive.log.append(draft({ base: 3, run: B, ...byNone, sessions: [next] }));
    expect(await isConfirmed()).toBe(false);
  });

  it('the rest of a history that had not been read to its end is none', async () => {
    const archive = await makeArchive(createMemoryStorage());
    const part = session('u', 'a', { complete: false });
    await archive.log.append(draft({ sessions: [part], jobs: [j1] }));
    const rest = job('u', 'a', 'j2');
    await archive.log.append(draft({ base: 1, run: B, sessions: [whole], jobs: [rest] }));
    expect((await sessionOf(archive, 'a')).changeSeenMs).toBeUndefined();
  });
});

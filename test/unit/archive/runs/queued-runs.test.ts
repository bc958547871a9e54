import { expect, it } from 'vitest';
import type { UserEntry } from '../../../../src/archive/log/commit.js';
import { queuedUsersPath } from '../../../../src/archive/paths.js';
import {
  forgetQueued,
  leaveUsers,
  openRuns,
  runInLog,
} from '../../../../src/archive/runs/queued-runs.js';
import { asUserId } from '../../../../src/model/ids.js';
import { draft, makeArchive, runOf } from '../../../support/store/archive-samples.js';
import { createMemoryStorage } from '../../../support/store/memory-storage.js';

const entry = (user: string, complete = true): UserEntry => ({
  user: asUserId(user),
  listed: 1,
  listed_at: '2026-11-05T12:00:00.000Z',
  total_items: 1,
  complete,
  sessions: { new: 1, changed: 0, unchanged: 0, failed: 0 },
  jobs: { archived: 1 },
  gaps: 0,
  error: null,
});

async function begun() {
  const storage = createMemoryStorage();
  const archive = await makeArchive(storage);
  let number = 0;
  const commit = (scope: Record<string, string | number>, users: UserEntry[] = []) =>
    archive.log.append(
      draft({ kind: 'export', checkpoint: ++number, base: number - 1, scope, users }),
    );
  const leave = (letter: string, users: string[], over: object = {}) =>
    leaveUsers(storage, runOf(letter), {
      ...{
        run: 'night',
        queue: 'q',
        enqueued_at: '2026-11-05T12:00:00.000Z',
        expected: false,
        since: 0,
        doubtful_list: false,
      },
      users,
      ...over,
    });
  const left = async () =>
    Object.fromEntries((await openRuns(archive)).map((run) => [run.run, run.remaining]));
  return { storage, archive, commit, leave, left };
}

it('a run on a queue is open with all its users until the log has something of it', async () => {
  const { archive, leave } = await begun();
  const path = await leave('A', ['ann', 'ben\n"', 'cy']);
  expect(await openRuns(archive)).toEqual([
    {
      run: 'night',
      queue: 'q',
      enqueuedAt: '2026-11-05T12:00:00.000Z',
      since: 0,
      users: new Set(['ann', 'ben\n"', 'cy']),
      expected: new Set(),
      isListDoubtful: false,
      remaining: ['ann', 'ben\n"', 'cy'],
      doubted: [],
      decided: 0,
      paths: [path],
    },
  ]);
});

it('a run on a queue has done whom one of its own commits has as complete, and nobody else', async () => {
  const { commit, leave, left } = await begun();
  await leave('A', ['ann', 'ben', 'cy', 'dan']);
  await commit({ queue: 'night' }, [entry('ann'), entry('ben', false)]);
  await commit({ queue: 'day' }, [entry('cy')]);
  await commit({ full: 'night' }, [entry('dan')]);
  expect(await left()).toEqual({ night: ['ben', 'cy', 'dan'] });
  await commit({ queue: 'night' }, [entry('ben')]);
  expect(await left()).toEqual({ night: ['cy', 'dan'] });
});

it('a run on a queue has not done a user whose newest entry takes that back for a doubt', async () => {
  const { archive, commit, leave, left } = await begun();
  await leave('A', ['ann', 'ben', 'cy']);
  await commit({ queue: 'night' }, [entry('ann'), entry('ben', false)]);
  await commit({ queue: 'night' }, [entry('ann', false)]);
  expect(await left()).toEqual({ night: ['ann', 'ben', 'cy'] });
  expect((await openRuns(archive))[0]?.doubted).toEqual(['ann']);
  const night = { run: 'night', since: 0 };
  expect(await runInLog(archive, night)).toEqual({
    hasEnded: false,
    done: [],
    doubted: ['ann'],
    decided: 0,
  });
  await commit({ queue: 'night', status: 'gaps' }, [entry('ann'), entry('cy')]);
  expect(await runInLog(archive, night)).toEqual({
    hasEnded: true,
    done: ['ann', 'cy'],
    doubted: [],
    decided: 0,
  });
  expect(await runInLog(archive, { run: 'night', since: 3 })).toMatchObject({ hasEnded: false });
});

it('a run on a queue has not done of whom its budget left a session, though doubted later', async () => {
  const { archive, commit, leave, left } = await begun();
  await leave('A', ['ann', 'ben', 'cy']);
  const some = [{ ...entry('ann'), left: 2 }, entry('ben')];
  await commit({ queue: 'night' }, [...some, { ...entry('cy'), by_decision: true }]);
  expect(await left()).toEqual({ night: ['ann'] });
  expect((await openRuns(archive))[0]).toMatchObject({ doubted: [], decided: 1 });
  await commit({ queue: 'night' }, [entry('ann', false), entry('cy', false)]);
  expect((await openRuns(archive))[0]).toMatchObject({ doubted: ['ann', 'cy'], decided: 0 });
});

it('a run on a queue has not done whom an earlier run of the same name has', async () => {
  const { commit, leave, left } = await begun();
  await commit({ queue: 'night' }, [entry('ann')]);
  await commit({ queue: 'night', status: 'complete' });
  await leave('A', ['ann', 'ben'], { since: 2 });
  expect(await left()).toEqual({ night: ['ann', 'ben'] });
  await commit({ queue: 'night' }, [entry('ann')]);
  expect(await left()).toEqual({ night: ['ben'] });
});

it('a run on a queue keeps users that were added later apart from those before', async () => {
  const { archive, commit, leave, left } = await begun();
  await leave('A', ['ann', 'ben']);
  await commit({ queue: 'night' }, [entry('ann')]);
  await leave('B', ['cy'], { since: 1, enqueued_at: '2026-11-05T13:00:00.000Z' });
  expect(await left()).toEqual({ night: ['ben', 'cy'] });
  const [run] = await openRuns(archive);
  expect([run?.users.size, run?.enqueuedAt]).toEqual([3, '2026-11-05T12:00:00.000Z']);
});

it('a run on a queue has ended with the commit that says so, and its files are forgotten', async () => {
  const { storage, commit, leave, left } = await begun();
  await leave('A', ['ann']);
  await leave('B', ['ben'], { run: 'day' });
  const { number } = await commit({ queue: 'night', status: 'gaps' });
  expect(await left()).toEqual({ day: ['ben'] });
  await leave('C', ['cy'], { since: number });
  await forgetQueued(storage, 'night', number);
  expect(await left()).toEqual({ day: ['ben'], night: ['cy'] });
  expect(await storage.stat(queuedUsersPath(runOf('A')))).toBeUndefined();
});

it('a run on a queue whose file is damaged is named, not passed over', async () => {
  const { storage, archive, leave } = await begun();
  const path = await leave('A', ['ann', 'ben']);
  const whole = await storage.get(path);
  await storage.put(path, whole.slice(0, -12));
  await expect(openRuns(archive)).rejects.toThrow(`${path} is damaged: its users cannot be read`);
  await storage.put('_runs/notes.txt', Buffer.from('x'));
  await storage.put(path, whole);
  expect(await openRuns(archive)).toHaveLength(1);
});

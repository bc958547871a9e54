/** What fails is a gap and the rest goes on; where nothing answers, the run ends in bounded time. */
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { startEmulator, type Emulator } from '../../../src/emulator/emulator.js';
import { createMemoryStorage, type MemoryStorage } from '../../support/store/memory-storage.js';
import {
  faultsOf,
  oldJob,
  piecedExport,
  pieceOf,
  rowsIn,
} from '../../support/programs/pieced-export.js';
import { fault } from '../../support/base/fault.js';

const internalError = { kind: 'error', status: 500, code: 9999 } as const;

describe('an export in which something fails', () => {
  let emulator: Emulator;
  let storage: MemoryStorage;

  beforeEach(async () => {
    emulator = await startEmulator({ users: 0 });
    storage = createMemoryStorage();
    for (const user of ['ann', 'bob', 'eve']) {
      for (let session = 0; session < 3; session++) addSession(user, 12);
    }
  });
  afterEach(() => emulator.close());

  function addSession(user: string, jobs: number): string {
    const id = emulator.state.addSession(user);
    for (let job = 0; job < jobs; job++) {
      emulator.state.addJob(user, id, oldJob(emulator.state.newJobId(Date.now() - 86_400_000)));
    }
    return id;
  }

  const run = (options: Partial<Parameters<typeof piecedExport>[0]> = {}) =>
    piecedExport({ emulator, storage, users: ['ann', 'bob', 'eve'], ...options });

  const jobs = async () => rowsIn(await pieceOf(storage, emulator), 'jobs');

  it('records a session that never answers as a gap, archives the others, and mends it next time', async () => {
    const [, broken = ''] = emulator.state.sessionIds('bob');
    emulator.faults.api = [{ pathId: broken, answer: internalError }];
    const first = await run();
    expect(first.error).toBeUndefined();
    expect(first.summary).toMatchObject({
      status: 'gaps',
      users: { total: 3, complete: 2, failed: 0 },
      sessions: { listed: 9, new: 8, failed: 1 },
      gaps: [{ user: 'bob', session: broken, job: null, status: 'failed' }],
    });
    expect(first.failures).toEqual(new Set(['unreachable']));
    expect(await jobs()).toHaveLength(8 * 12);

    emulator.faults.api = [];
    const second = await run();
    expect(second.summary).toMatchObject({ status: 'complete', jobs: { archived: 12 }, gaps: [] });
    expect(await jobs()).toHaveLength(9 * 12);
    expect(await faultsOf(await pieceOf(storage, emulator))).toEqual([]);
  });

  it('keeps what it has read of a session that breaks off, and reads the rest next time', async () => {
    const long = addSession('ann', 25);
    emulator.faults.clampPageSize = 10;
    emulator.faults.api = [{ pathId: long, after: 2, answer: internalError }];
    const first = await run();
    expect(first.summary.gaps).toMatchObject([{ session: long, status: 'failed' }]);
    const kept = (await jobs()).filter((row) => row['session_id'] === long);
    expect(kept.length).toBeGreaterThan(9);
    expect(kept.length).toBeLessThan(25);

    emulator.faults.api = [];
    const second = await run();
    expect(second.summary).toMatchObject({
      status: 'complete',
      jobs: { archived: 25 - kept.length },
    });
    const sessions = await rowsIn(await pieceOf(storage, emulator), 'sessions');
    const versions = sessions.filter((row) => row['session_id'] === long);
    expect(versions.map((row) => [row['is_complete'], row['job_count']])).toEqual([
      [false, kept.length],
      [true, 25],
    ]);
  });

  it.each([300002, 1003] as const)(
    'records a user who is refused with %i as a gap and goes on with the others',
    async (code) => {
      emulator.faults.refusedUsers = { bob: code };
      const { summary, error, failures } = await run();
      expect(error).toBeUndefined();
      expect(summary).toMatchObject({
        status: 'gaps',
        users: { total: 3, complete: 2, failed: 1 },
        gaps: [{ user: 'bob', session: null, status: 'refused' }],
      });
      expect(failures).toEqual(new Set(['authentication']));
      expect(await jobs()).toHaveLength(6 * 12);
    },
  );

  it('ends a run whose key is refused, at once', async () => {
    const { summary, error } = await run({ client: { apiKey: 'another-key' } });
    expect(error).toMatchObject({ failure: 'authentication', disposition: 'fatal' });
    expect(summary.status).toBe('failed');
    expect(emulator.stats.totalRequests).toBeLessThanOrEqual(4);
  });

  it('ends as unreachable after few requests when nothing was ever answered', async () => {
    emulator.faults.api = [{ answer: internalError }];
    const { summary, error } = await run({ client: { maxAttempts: 3 } });
    expect(error).toMatchObject({ failure: 'unreachable' });
    expect(summary).toMatchObject({ status: 'failed', commits: [] });
    expect(emulator.stats.totalRequests).toBeLessThanOrEqual(3 * 3);
  });

  it('ends as unreachable when the service goes away for good, and keeps what it had', async () => {
    const users = Array.from({ length: 40 }, (_, i) => `user-${i}`);
    for (const user of users) addSession(user, 1);
    emulator.faults.api = [{ after: 20, answer: internalError }];
    const { summary, error } = await run({ users, client: { maxAttempts: 2 } });
    expect(error).toMatchObject({ failure: 'unreachable' });
    expect(summary.status).toBe('failed');
    expect(summary.jobs.archived).toBeGreaterThan(0);
    expect(await jobs()).toHaveLength(summary.jobs.archived);
    expect(emulator.stats.totalRequests).toBeLessThan(20 + 2 * 20);

    emulator.faults.api = [];
    expect((await run({ users })).summary.status).toBe('complete');
    expect(await jobs()).toHaveLength(40);
  });

  it('survives a service whose every third answer is an error', async () => {
    emulator.faults.api = [{ every: 3, answer: internalError }];
    const { summary } = await run({ client: { maxAttempts: 6 } });
    expect(summary.status).toBe('complete');
    expect(summary.requests.retries).toBeGreaterThan(0);
    expect(await jobs()).toHaveLength(9 * 12);
  });

  it(
    'says why a listing that shows the same page for ever is not whole',
    fault('F-16'),
    async () => {
      const long = addSession('ann', 25);
      emulator.faults.clampPageSize = 10;
      emulator.faults.repeatPage = true;
      const { summary, error } = await run({ users: ['ann'] });
      expect(error).toBeUndefined();
      expect(summary.status).toBe('gaps');
      expect(summary.gaps).toContainEqual(
        expect.objectContaining({ session: long, status: 'incomplete' }),
      );
      expect(emulator.stats.totalRequests).toBeLessThan(150);
    },
  );

  it('looks for a job that has moved no longer than the listing brings anything new', async () => {
    const long = addSession('ann', 25);
    emulator.state.putFile('a.csv', 'a\n1\n');
    const job = emulator.state.newJobId(Date.now() - 86_400_000);
    emulator.state.addJob('ann', long, oldJob(job, ['a.csv']));
    emulator.faults.clampPageSize = 10;
    emulator.faults.files = [{ first: 1, answer: { kind: 'status', status: 403 } }];
    let pages = 0;
    emulator.faults.beforeRequest = ({ operation, pathId }) => {
      if (operation !== 'getHistory' || pathId !== long || ++pages !== 2) return;
      emulator.state.deleteJob('ann', long, job);
      emulator.faults.repeatPage = true;
    };
    const { summary } = await run({ users: ['ann'] });
    expect(summary.gaps).toContainEqual(
      expect.objectContaining({ session: long, job, block_index: 0, status: 'expired' }),
    );
    expect(pages).toBeLessThan(150);
  });

  it('commits what is ready when it is called off, and goes on from there', async () => {
    const stop = new AbortController();
    emulator.faults.beforeRequest = ({ operation, nth }) => {
      if (operation === 'getHistory' && nth === 6) stop.abort(new Error('SIGTERM'));
    };
    const { summary, error } = await run({ concurrency: 1, signal: stop.signal });
    expect(error).toBeUndefined();
    expect(summary.status).toBe('interrupted');
    expect(summary.jobs.archived).toBeGreaterThan(0);
    expect(await jobs()).toHaveLength(summary.jobs.archived);
    expect(storage.place.staged.size).toBe(0);

    emulator.faults.beforeRequest = undefined;
    const next = await run();
    expect(next.summary.jobs.archived).toBe(9 * 12 - summary.jobs.archived);
    expect(await faultsOf(await pieceOf(storage, emulator))).toEqual([]);
  });
});

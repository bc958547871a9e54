/** A run that may not ask for everything: what it spends its requests on, and what it says it has left. */
import { describe, expect, it } from 'vitest';
import { openArchive } from '../../src/archive/open-archive.js';
import { loadLooks } from '../../src/archive/user-looks.js';
import { asUserId } from '../../src/model/ids.js';
import { createLocalStorage } from '../../src/storage/local-storage.js';
import { ExportRig } from '../support/export-rig.js';

const DAY_MS = 86_400_000;
const plain = { jobs: 3, blocksPerJob: 3, artifactsPerJob: 0 };

describe('an export with a budget of requests', () => {
  it('goes on where the last one stopped until everything is archived', async () => {
    await using rig = await ExportRig.start({ users: 4, sessions: 5, ...plain });
    const budget = { maxRequests: 9, concurrency: 1 };
    const first = await rig.export(budget);
    expect(first).toMatchObject({ status: 'complete', gaps: [] });
    expect(first.budget).toMatchObject({
      ...{ max_requests: 9, max_duration_ms: null, max_staleness_ms: 7 * DAY_MS },
      ...{ requests: 9, looked: 7, left: { users: 2, sessions: 3 } },
      overdue: { users: 0, sessions: 0 },
    });
    expect(first.users).toEqual({ total: 4, complete: 1, failed: 0 });
    const sizes = [await archivedSessions(rig)];
    for (let run = 0; run < 3; run++) {
      rig.clock.ahead += DAY_MS;
      const { budget: told } = await rig.export(budget);
      expect(told?.requests).toBeLessThanOrEqual(9);
      sizes.push(await archivedSessions(rig));
    }
    expect(sizes).toEqual([7, 14, 19, 20]);
    expect(await rig.verify()).toMatchObject({ problems: [], orphans: [] });
  });

  it('looks at what is new and at what has changed lately wherever the users stand in line', async () => {
    await using rig = await ExportRig.start({ users: 6, sessions: 6, ...plain });
    const users = rig.state.userIds();
    rig.clock.ahead += 60 * DAY_MS; // the seeded jobs are old
    await rig.export();
    const last = users.at(-1) ?? '';
    const [warm = ''] = rig.state.sessionIds(last);
    rig.state.addJob(last, warm);
    rig.clock.ahead += DAY_MS;
    await rig.export();
    rig.state.addJob(last, warm);
    const added = rig.state.addSession(users.at(-2) ?? '');
    rig.clock.ahead += DAY_MS;
    const summary = await rig.export({ maxRequests: 6 + 20 });
    expect(summary).toMatchObject({ status: 'complete', jobs: { archived: 1 } });
    expect(summary.sessions).toMatchObject({ new: 1, changed: 1 });
    expect(summary.budget?.left.users).toBe(0);
    expect((await rig.rows('sessions')).map((row) => row['session_id'])).toContain(added);
  });

  it('comes to every session before its time is up when the budget allows for it', async () => {
    await using rig = await ExportRig.start({ users: 3, sessions: 8, ...plain });
    rig.clock.ahead += 60 * DAY_MS;
    await rig.export();
    for (let night = 1; night <= 9; night++) {
      rig.clock.ahead += DAY_MS;
      const { status, budget } = await rig.export({
        maxRequests: 3 + 8,
        maxStalenessMs: 5 * DAY_MS,
      });
      expect([night, status, budget?.overdue]).toEqual([
        ...[night, 'complete'],
        { users: 0, sessions: 0 },
      ]);
    }
  });

  it('breaks its promise aloud: sessions and users that waited longer are counted, and it has gaps', async () => {
    await using rig = await ExportRig.start({ users: 2, sessions: 4, ...plain });
    await rig.export();
    rig.clock.ahead += 8 * DAY_MS;
    const summary = await rig.export({ maxRequests: 1, concurrency: 1 });
    expect(summary).toMatchObject({ status: 'gaps', gaps: [] });
    expect(summary.budget).toMatchObject({
      left: { users: 1, sessions: 8 },
      overdue: { users: 1, sessions: 8 },
    });
    const again = await rig.export({ maxRequests: 100 });
    expect(again).toMatchObject({ status: 'complete', budget: { looked: 8, oldest_look: null } });
  });

  it('tries gaps again before what has nothing new', async () => {
    await using rig = await ExportRig.start({ users: 1, sessions: 6, ...plain });
    rig.clock.ahead += 60 * DAY_MS;
    const [user = ''] = rig.state.userIds();
    const broken = rig.state.sessionIds(user)[3] ?? '';
    await rig.export();
    const page = { operations: ['getHistory'] as const, pathId: broken };
    rig.emulator.faults.api = [{ ...page, answer: { kind: 'error', status: 403, code: 1003 } }];
    rig.state.addJob(user, broken);
    const failed = await rig.export();
    expect(failed.gaps).toMatchObject([{ session: broken, status: 'failed' }]);
    rig.emulator.faults.api = [];
    const summary = await rig.export({ maxRequests: 2 });
    expect(summary).toMatchObject({ status: 'complete', jobs: { archived: 1 } });
    expect(summary.budget).toMatchObject({ looked: 1, left: { users: 0, sessions: 5 } });
  });

  it('knows what was looked at from runs without a budget, too, and forgets what is gone', async () => {
    await using rig = await ExportRig.start({ users: 1, sessions: 3, ...plain });
    const [user = ''] = rig.state.userIds();
    const [gone = '', ...others] = rig.state.sessionIds(user);
    await rig.export();
    rig.state.deleteSession(user, gone);
    await rig.export();
    const { storage } = await openArchive(createLocalStorage({ directory: rig.out }));
    const looks = await loadLooks(storage, asUserId(user));
    expect([...(looks?.sessions.keys() ?? [])].sort()).toEqual(others.sort());
    expect(looks?.listingsMs).toHaveLength(2);
  });
});

async function archivedSessions(rig: ExportRig): Promise<number> {
  return new Set((await rig.rows('sessions')).map((row) => row['session_id'])).size;
}

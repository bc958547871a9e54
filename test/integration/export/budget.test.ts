/** A run that may not ask for everything: what it spends its requests on, and what it says it has left. */
import { describe, expect, it } from 'vitest';
import { exportView } from '../../../src/cli/output/reports/export-report.js';
import { countsOfExport } from '../../../src/cli/output/run-counts.js';
import { viewText } from '../../../src/cli/output/view.js';
import { cliJson } from '../../support/programs/cli-in-process.js';
import { ExportRig } from '../../support/rigs/export-rig.js';
import { fault } from '../../support/base/fault.js';

const DAY_MS = 86_400_000;
const plain = { jobs: 3, blocksPerJob: 3, artifactsPerJob: 0 };
/** What totals count is asked once of a list, and once of a history. */
const TOTALS = 2;

it('an export goes on where the last one stopped until everything is archived', async () => {
  await using rig = await ExportRig.start({ users: 4, sessions: 5, ...plain });
  const budget = { maxRequests: 9 + TOTALS, concurrency: 1 };
  const first = await rig.export(budget);
  expect(first).toMatchObject({ status: 'not_all_read', gaps: [] });
  expect(first.budget).toMatchObject({
    max_requests: 11,
    max_duration_ms: null,
    max_staleness_ms: 7 * DAY_MS,
    requests: 11,
    checked: 6,
    left: { users: 2, sessions: 4 },
    lap: { number: 1 },
    overdue: false,
  });
  expect(first.users).toMatchObject({ total: 4, complete: 1, failed: 0, not_read: 2 });
  const sizes = [await archivedSessions(rig)];
  while (sizes.length < 8 && sizes.at(-1) !== 20) {
    rig.clock.ahead += DAY_MS;
    const { budget: told } = await rig.export(budget);
    expect(told?.requests).toBeLessThanOrEqual(11);
    sizes.push(await archivedSessions(rig));
  }
  expect(sizes.slice(0, 3)).toEqual([6, 12, 16]);
  expect(sizes.at(-1)).toBe(20);
  expect(await rig.verify()).toMatchObject({ problems: [], orphans: [] });
});

it('an export looks at what is new or changed lately wherever the users stand in line', async () => {
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
  const summary = await rig.export({ maxRequests: 6 + 20 + TOTALS });
  expect(summary).toMatchObject({ status: 'not_all_read', jobs: { archived: 1 } });
  expect(summary.sessions).toMatchObject({ new: 1, changed: 1 });
  expect(summary.budget?.left.users).toBe(0);
  expect((await rig.rows('sessions')).map((row) => row['session_id'])).toContain(added);
});

it('an export comes to every session before its time is up when the budget allows for it', async () => {
  await using rig = await ExportRig.start({ users: 3, sessions: 8, ...plain });
  rig.clock.ahead += 60 * DAY_MS;
  await rig.export();
  const laps = [];
  for (let night = 1; night <= 9; night++) {
    rig.clock.ahead += DAY_MS;
    const { status, budget } = await rig.export({
      maxRequests: 3 + 8 + TOTALS,
      maxStalenessMs: 5 * DAY_MS,
      concurrency: 1,
    });
    expect([night, status, budget?.overdue]).toEqual([night, 'not_all_read', false]);
    laps.push(budget?.lap?.number);
  }
  expect(laps.at(-1)).toBeGreaterThanOrEqual(4);
});

it('an export with a budget of requests whose lap takes too long says so', async () => {
  await using rig = await ExportRig.start({ users: 2, sessions: 4, ...plain });
  await rig.export();
  rig.clock.ahead += 8 * DAY_MS;
  const summary = await rig.export({ maxRequests: 3, concurrency: 1 });
  expect(summary).toMatchObject({ status: 'not_all_read', gaps: [] });
  expect(summary.budget).toMatchObject({ left: { users: 1, sessions: 4 }, overdue: true });
  const again = await rig.export({ maxRequests: 100 });
  expect(again).toMatchObject({
    status: 'complete',
    budget: { checked: 8, left: { users: 0, sessions: 0 }, overdue: false },
  });
});

it('an export with a budget of requests tries gaps again before what has nothing new', async () => {
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
  const summary = await rig.export({ maxRequests: 3 + TOTALS });
  expect(summary).toMatchObject({ status: 'not_all_read', jobs: { archived: 1 } });
  expect(summary.budget).toMatchObject({ checked: 1, left: { users: 0, sessions: 5 } });
});

it('an export that its budget stopped tells of histories that a list of gaps then has', async () => {
  await using rig = await ExportRig.start({ users: 1, sessions: 2, jobs: 30, exactJobs: true });
  const summary = await rig.export({ maxRequests: 5, pageSize: 10, concurrency: 1 });
  expect(summary).toMatchObject({ gaps: [], left_gaps: 2 });
  const told = '; 2 lists and histories are left, and gaps of the archive until an export reads on';
  expect(viewText(exportView(summary))).toContain(told);
  const { gaps } = await cliJson<{ gaps: unknown[] }>(['gap', 'list', rig.out]);
  expect(gaps).toHaveLength(2);
  // the metric counts as the list does; what the budget has left sets off no alert of gaps
  expect(countsOfExport(summary)).toMatchObject({ gaps: { incomplete: 2 }, leftGaps: 2 });
  const after = await rig.export();
  expect(after).toMatchObject({ gaps: [], left_gaps: 0 });
  expect(countsOfExport(after)).toMatchObject({ gaps: { incomplete: 0 }, leftGaps: 0 });
  expect(viewText(exportView(after))).not.toContain('of the archive until');
});

async function archivedSessions(rig: ExportRig): Promise<number> {
  return new Set((await rig.rows('sessions')).map((row) => row['session_id'])).size;
}

describe('a budget binds every request', () => {
  const busy = { jobs: 30, exactJobs: true, blocksPerJob: 3, artifactsPerJob: 0 };

  it.each([1, 2, 3, 4, 7, 11])(
    'those within a session, too: %i',
    fault('F-58'),
    async (maxRequests) => {
      await using rig = await ExportRig.start({ users: 2, sessions: 2, ...busy });
      const first = await rig.run({ maxRequests, pageSize: 10, concurrency: 2 });
      expect(rig.emulator.stats.totalRequests).toBeLessThanOrEqual(maxRequests);
      expect(first.error).toBeUndefined();
      expect(first.summary).toMatchObject({ status: 'not_all_read', gaps: [] });
      const { left, checked } = first.summary.budget!;
      expect(left.users * 2 + left.sessions + checked).toBe(4);
      // what was begun and left is not taken for whole
      const rest = await rig.export({ pageSize: 10 });
      expect(rest.status).toBe('complete');
      expect(await rig.rows('jobs')).toHaveLength(120);
      expect(await rig.verify()).toMatchObject({ problems: [], orphans: [] });
    },
  );

  it('retries of a service that fails, too', async () => {
    await using rig = await ExportRig.start({ users: 1, sessions: 2, ...busy });
    await rig.export();
    rig.emulator.stats.reset();
    rig.emulator.faults.api = [{ after: 3, answer: { kind: 'error', status: 500 } }];
    const { summary, error } = await rig.run({ maxRequests: 7 });
    expect(error).toBeUndefined();
    expect(rig.emulator.stats.totalRequests).toBe(7);
    expect(summary.budget).toMatchObject({ requests: 7, left: { sessions: 2 } });
  });

  it('the reading of fresh URLs, too: a file that would need one is left, not lost', async () => {
    await using rig = await ExportRig.start({ users: 1, sessions: 1, jobs: 3, exactJobs: true });
    rig.emulator.faults.files = [{ answer: { kind: 'status', status: 403 } }];
    const { summary, error } = await rig.run({ maxRequests: 3 });
    expect(error).toBeUndefined();
    expect(rig.emulator.stats.totalRequests).toBe(3);
    expect(summary).toMatchObject({ gaps: [], budget: { left: { sessions: 1 } } });
    rig.emulator.faults.files = [];
    expect((await rig.export()).artifacts.stored).toBeGreaterThan(0);
  });

  it.each([1, 2, 5])('those for datasets, too: %i read some, and say so', async (maxRequests) => {
    await using rig = await ExportRig.start({ users: 1, sessions: 1, ...plain });
    const { summary, error } = await rig.run({ maxRequests, withDatasets: true });
    expect([error, rig.emulator.stats.totalRequests]).toEqual([undefined, maxRequests]);
    expect(summary).toMatchObject({
      status: 'not_all_read',
      gaps: [],
      budget: { datasets_left: true, left: { users: 1 } },
    });
    const whole = await rig.export({ withDatasets: true });
    expect(whole).toMatchObject({ status: 'complete', gaps: [] });
    const ids = (await rig.rows('datasets')).map((row) => row['dataset_id']);
    expect(ids.length).toBeGreaterThan(maxRequests);
    expect(new Set(ids).size).toBe(ids.length);
    expect(await rig.verify()).toMatchObject({ problems: [], orphans: [] });
  });

  it('none is sent after the time, while a user is listed or a history is read', async () => {
    await using rig = await ExportRig.start({ users: 1, sessions: 1, ...busy });
    await rig.export({ pageSize: 10, search: 'nothing has this name' });
    rig.emulator.stats.reset();
    let sent = 0;
    const { clock } = rig;
    const monotonic = clock.monotonic;
    clock.monotonic = () => monotonic() + sent * 60_000; // a minute a request
    rig.emulator.faults.beforeRequest = () => {
      sent++;
    };
    const { summary } = await rig.run({ pageSize: 10, maxDurationMs: 150_000 });
    expect(sent).toBe(3);
    expect(summary).toMatchObject({ gaps: [], budget: { left: { sessions: 1 } } });
  });
});

it('a list that an earlier budget has left is left to later runs, also where one stops before', async () => {
  await using rig = await ExportRig.start({ users: 4, sessions: 5, ...plain });
  const first = await rig.export({ maxRequests: 9 + TOTALS, concurrency: 1 });
  expect(first).toMatchObject({ gaps: [], left_gaps: 1 });
  const later = await rig.export({ maxRequests: 1, concurrency: 1 });
  expect(later).toMatchObject({ gaps: [], left_gaps: 1, users: { not_read: 4 } });
});

/** The fewest requests win: the service's allowance is shared with the people who use it. */
import { expect, it } from 'vitest';
import { doubledKeys, ExportRig } from '../../support/rigs/export-rig.js';
import { oldJob } from '../../support/programs/pieced-export.js';
import { fault } from '../../support/base/fault.js';

it('requests are at most 5 % over what 60 sessions need, and one a session afterwards', async () => {
  await using rig = await ExportRig.start({
    users: 1,
    sessions: 60,
    jobs: 120,
    blocksPerJob: 3,
    artifactsPerJob: 0,
  });
  const [user = ''] = rig.state.userIds();
  const sessions = rig.state.sessionIds(user);
  const lengths = sessions.map((session) => rig.state.jobIds(user, session).length);
  const least = 2 + lengths.reduce((sum, jobs) => sum + Math.max(1, Math.ceil(jobs / 100)), 0);

  const first = await rig.export();
  expect(first.jobs.archived).toBe(lengths.reduce((sum, jobs) => sum + jobs, 0));
  expect(rig.emulator.stats.totalRequests).toBeLessThanOrEqual(Math.floor(least * 1.05));

  rig.clock.ahead += 11 * 60_000;
  await rig.export(); // the youngest settle
  const tables = await rig.files('tables');
  rig.emulator.stats.reset();
  const second = await rig.export();
  expect(second.sessions).toMatchObject({ listed: 60, unchanged: 60 });
  // the first histories are asked for a page behind the last, which shows what totals count
  expect(rig.emulator.stats.totalRequests).toBeLessThanOrEqual(Math.floor((2 + 60) * 1.05));
  expect(await rig.files('tables')).toEqual(tables);

  const [session = ''] = sessions;
  rig.state.addJob(user, session);
  rig.emulator.stats.reset();
  const third = await rig.export();
  expect(third.rows).toMatchObject({ jobs: 1, raw_jobs: 1, sessions: 1 });
  const [grown = 0] = lengths;
  const needed = 2 + 59 + Math.ceil((grown + 1) / 100);
  expect(rig.emulator.stats.totalRequests).toBeLessThanOrEqual(Math.floor(needed * 1.05));
  expect(doubledKeys('jobs', await rig.rows('jobs'))).toEqual([]);
});

it("an export reads a history's next page while files of the page before are on their way", async () => {
  await using rig = await ExportRig.start({
    faults: { clampPageSize: 2, files: [{ answer: { kind: 'hang' } }] },
  });
  const session = rig.state.addSession('ann');
  rig.state.putFile('a.csv', 'key\n1\n');
  for (let i = 0; i < 3; i++) {
    const id = rig.state.newJobId(Date.now() - 86_400_000);
    rig.state.addJob('ann', session, oldJob(id, ['a.csv']));
  }
  const stop = new AbortController();
  rig.emulator.faults.beforeRequest = ({ operation, nth }) => {
    // only a run that reads ahead comes as far as this
    if (operation === 'getHistory' && nth === 2) stop.abort(new Error('stopped by SIGTERM'));
  };
  const { summary } = await rig.run({ users: ['ann'], signal: stop.signal });
  expect(summary.status).toBe('interrupted');
  expect(rig.emulator.stats.requests.getHistory).toBe(2);
});

it.each([
  ['newest', 3],
  ['oldest', 4], // where it grew last time comes first
] as const)(
  'requests are those of the whole history where a long one has grown, else one (%s first)',
  async (order, whole) => {
    await using rig = await ExportRig.start({ faults: { order } });
    const session = rig.state.addSession('ann');
    const old = Date.now() - 86_400_000;
    const add = (count: number): void => {
      for (let i = 0; i < count; i++) {
        rig.state.addJob('ann', session, settledJob(rig.state.newJobId(old)));
      }
    };
    add(230);
    await rig.export({ users: ['ann'] });
    add(1);
    await rig.export({ users: ['ann'] });
    add(2);
    rig.emulator.stats.reset();
    const summary = await rig.export({ users: ['ann'] });
    expect(summary.jobs.archived).toBe(2);
    expect(rig.emulator.stats.requests.getHistory).toBe(whole);
    expect(await rig.rows('jobs')).toHaveLength(233);
    rig.emulator.stats.reset();
    await rig.export({ users: ['ann'] });
    expect(rig.emulator.stats.requests.getHistory).toBe(1);
  },
);

it.each([
  ['clamped to 40', { clampPageSize: 40 }],
  ['refused above 50', { refusePageSizeAbove: 50 }],
] as const)(
  'the requests of an export go on with pages %s, in the first run and in the next',
  fault('F-14'),
  async (_what, faults) => {
    await using rig = await ExportRig.start({ faults });
    const session = rig.state.addSession('ann');
    const add = (count: number): void => {
      for (let i = 0; i < count; i++) {
        rig.state.addJob('ann', session, settledJob(rig.state.newJobId(Date.now() - 86_400_000)));
      }
    };
    add(95);
    const first = await rig.export({ users: ['ann'] });
    expect(first).toMatchObject({ status: 'complete', jobs: { archived: 95 } });
    add(3);
    const second = await rig.export({ users: ['ann'] });
    expect(second).toMatchObject({ status: 'complete', jobs: { archived: 3 } });
    const third = await rig.export({ users: ['ann'] });
    expect(third.jobs.archived).toBe(0);
    expect(await rig.rows('jobs')).toHaveLength(98);
  },
);

it.each(['newest', 'oldest'] as const)(
  'requests find every new job where total_items counts only its own page (%s first)',
  fault('F-13'),
  async (order) => {
    await using rig = await ExportRig.start({ faults: { order, totalItems: 'page' } });
    const session = rig.state.addSession('ann');
    const old = Date.now() - 86_400_000;
    const add = (count: number): void => {
      for (let i = 0; i < count; i++) {
        rig.state.addJob('ann', session, settledJob(rig.state.newJobId(old)));
      }
    };
    add(100);
    await rig.export({ users: ['ann'] });
    expect(await rig.rows('jobs')).toHaveLength(100);
    add(30);
    await rig.export({ users: ['ann'] });
    expect(await rig.rows('jobs')).toHaveLength(130);
  },
);

it(
  'requests find a new job even when another has vanished since it was archived',
  fault('F-59'),
  async () => {
    await using rig = await ExportRig.start({ faults: { order: 'oldest' } });
    const session = rig.state.addSession('ann');
    const ids = Array.from({ length: 150 }, () => rig.state.newJobId(Date.now() - 86_400_000));
    for (const id of ids) rig.state.addJob('ann', session, settledJob(id));
    await rig.export({ users: ['ann'] });
    rig.state.deleteJob('ann', session, ids[120] ?? '');
    await rig.export({ users: ['ann'] });
    const late = rig.state.newJobId(Date.now() - 86_400_000);
    rig.state.addJob('ann', session, settledJob(late));
    await rig.export({ users: ['ann'] });
    const jobs = (await rig.rows('jobs')).map((row) => row['job_id']);
    expect(jobs.toSorted()).toEqual([...ids, late].toSorted());
  },
);

it('requests reach all pages when a settled job has changed, since others may have, too', async () => {
  await using rig = await ExportRig.start({ faults: { order: 'newest' } });
  const session = rig.state.addSession('ann');
  const ids = Array.from({ length: 230 }, () => rig.state.newJobId(Date.now() - 86_400_000));
  for (const id of ids) rig.state.addJob('ann', session, settledJob(id));
  await rig.export({ users: ['ann'] });
  for (const id of [ids[3] ?? '', ids[229] ?? '']) {
    rig.state.growAnswer('ann', session, id, 'An afterthought.');
  }
  const summary = await rig.export({ users: ['ann'] });
  expect(summary.jobs.archived).toBe(2);
});

function settledJob(id: string): string {
  const blocks = [{ type: 'MESSAGE', content: 'Done.', stage: 'Respond', group_id: '-1' }];
  const question = { blocks: [{ type: 'MESSAGE', content: 'Well?' }] };
  return JSON.stringify({ job_id: id, question, answer: { blocks } });
}

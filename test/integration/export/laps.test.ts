/** Runs that go round all users: what they read whole, where they go on, which runs move the lap. */
import { readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { readLap } from '../../../src/archive/laps.js';
import { openStorage } from '../../../src/storage/open-storage.js';
import type { ExportObserver } from '../../../src/export/export-observer.js';
import { ExportRig } from '../../support/rigs/export-rig.js';

const DAY_MS = 86_400_000;
const plain = { jobs: 3, exactJobs: true, blocksPerJob: 3, artifactsPerJob: 0 };

async function lapOf(rig: ExportRig, scope = 'all') {
  return readLap(await openStorage(rig.out), scope);
}

/** The place where the lap goes on is not a whole round away: it has been moved. */
async function placeOf(rig: ExportRig, scope?: string) {
  const lap = await lapOf(rig, scope);
  return lap && [lap.number, lap.place];
}

describe('a change of the same length in the middle of 400 jobs', () => {
  /** @returns the night in which it was archived */
  async function nightOfChange(rig: ExportRig, nights: number): Promise<number | undefined> {
    const [user = ''] = rig.state.userIds();
    const [session = ''] = rig.state.sessionIds(user);
    for (let night = 1; night <= nights; night++) {
      rig.clock.ahead += DAY_MS;
      if (night === 2) {
        const job = rig.state.jobIds(user, session)[200] ?? '';
        const question = { blocks: [{ type: 'MESSAGE', content: 'Another question?' }] };
        rig.state.changeJob(user, session, job, (record) => ({ ...record, question }));
      }
      const { jobs } = await rig.export({ rereadMs: 7 * DAY_MS });
      if (jobs.archived > 0) return night;
    }
    return undefined;
  }

  it('is found within --reread, by a run that reads nothing else again', async () => {
    await using rig = await ExportRig.start({ users: 1, sessions: 1, ...plain, jobs: 400 });
    rig.clock.ahead += 60 * DAY_MS; // the seeded jobs are settled
    await rig.export();
    rig.clock.ahead += DAY_MS;
    await rig.export();
    const night = await nightOfChange(rig, 2 + 7);
    expect(night).toBeGreaterThanOrEqual(2);
    expect(night).toBeLessThanOrEqual(2 + 7);
    expect(await rig.verify()).toMatchObject({ problems: [], orphans: [] });
  });

  it('is a request for each hundred jobs once in that time, and one or two in other nights', async () => {
    await using rig = await ExportRig.start({ users: 1, sessions: 1, ...plain, jobs: 400 });
    rig.clock.ahead += 60 * DAY_MS;
    await rig.export();
    rig.clock.ahead += DAY_MS;
    await rig.export(); // the night after the first one reads all again
    const requests: number[] = [];
    for (let night = 0; night < 14; night++) {
      rig.clock.ahead += DAY_MS;
      rig.emulator.stats.reset();
      await rig.export({ rereadMs: 7 * DAY_MS });
      requests.push(rig.emulator.stats.requests.getHistory);
    }
    const whole = requests.filter((count) => count >= 4);
    expect(whole).toHaveLength(2);
    expect(requests.filter((count) => count <= 2)).toHaveLength(12);
  });
});

it('a change deep in a history is found in time, also where the list fails every other night', async () => {
  await using rig = await ExportRig.start({ users: 1, sessions: 6, ...plain, jobs: 210 });
  const [user = ''] = rig.state.userIds();
  rig.clock.ahead += 60 * DAY_MS;
  for (let night = 0; night < 2; night++) {
    await rig.export();
    rig.clock.ahead += DAY_MS;
  }
  for (const session of rig.state.sessionIds(user)) {
    const job = rig.state.jobIds(user, session)[105] ?? '';
    const question = { blocks: [{ type: 'MESSAGE', content: 'Another question?' }] };
    rig.state.changeJob(user, session, job, (record) => ({ ...record, question }));
  }
  let found = 0;
  for (let night = 1; night <= 9; night++) {
    rig.emulator.faults.api =
      night % 2 === 1
        ? []
        : [{ operations: ['listSessions'], answer: { kind: 'error', status: 200, code: 300002 } }];
    found += (await rig.export({ rereadMs: 7 * DAY_MS })).jobs.archived;
    rig.clock.ahead += DAY_MS;
  }
  expect(found).toBe(6);
});

it('runs with a small budget come to every session in turn, and go on after a lap', async () => {
  await using rig = await ExportRig.start({ users: 3, sessions: 6, ...plain });
  rig.clock.ahead += 60 * DAY_MS;
  await rig.export();
  const visits = new Map<string, number>();
  for (let night = 0; night < 12; night++) {
    rig.clock.ahead += DAY_MS;
    // three lists, and four of the eighteen sessions
    const observer: ExportObserver = {
      sessionFinished: (_, session) => void visits.set(session, (visits.get(session) ?? 0) + 1),
    };
    await rig.export({ maxRequests: 9, concurrency: 1, observer });
  }
  expect(visits.size).toBe(18);
  expect(Math.max(...visits.values()) - Math.min(...visits.values())).toBeLessThanOrEqual(2);
});

it('a budget that is less than the lists of all users still comes to everything', async () => {
  await using rig = await ExportRig.start({ users: 6, sessions: 4, ...plain });
  rig.clock.ahead += 60 * DAY_MS;
  await rig.export();
  const seen = new Set<string>();
  for (let run = 0; run < 100; run++) {
    rig.clock.ahead += DAY_MS;
    const { budget } = await rig.export({
      maxRequests: 5,
      concurrency: 1,
      observer: { sessionFinished: (_, session) => void seen.add(session) },
    });
    expect(budget?.requests).toBeLessThanOrEqual(5);
    if (seen.size === 24) return;
  }
  expect(seen.size).toBe(24);
});

it('an export of some users or sessions, or of gaps, leaves the lap where it is', async () => {
  await using rig = await ExportRig.start({ users: 2, sessions: 2, ...plain });
  const [user = ''] = rig.state.userIds();
  await rig.export({ users: [user], scope: { named: true } });
  expect(await lapOf(rig)).toBeUndefined();
  await rig.export();
  const before = await readFile(join(rig.out, '_laps/all.json'), 'utf8');
  const [session = ''] = rig.state.sessionIds(user);
  await rig.export({ users: [user], scope: { named: true } });
  await rig.export({ users: [user], sessions: [session] });
  await rig.export({ search: 'a' });
  await rig.export({ retryGaps: true });
  expect(await readFile(join(rig.out, '_laps/all.json'), 'utf8')).toBe(before);
});

it('a shard has a lap of its own', async () => {
  await using rig = await ExportRig.start({ users: 8, sessions: 1, ...plain });
  await rig.export({ shard: { index: 0, count: 2 } });
  expect(await placeOf(rig, '1-of-2')).toEqual([2, 0]);
  expect(await placeOf(rig, '2-of-2')).toBeUndefined();
  expect(await placeOf(rig)).toBeUndefined();
});

it('a lap that is lost begins anew, and nothing else is lost', async () => {
  await using rig = await ExportRig.start({ users: 2, sessions: 3, ...plain });
  await rig.export();
  await rig.export();
  expect(await placeOf(rig)).toEqual([3, 0]);
  await rm(join(rig.out, '_laps'), { recursive: true });
  expect(await rig.export()).toMatchObject({ status: 'complete', jobs: { archived: 0 } });
  expect(await placeOf(rig)).toEqual([2, 0]);
});

it('a run that ends early leaves the lap at the first user who is not done', async () => {
  await using rig = await ExportRig.start({ users: 4, sessions: 3, ...plain });
  await rig.export();
  const stop = new AbortController();
  let finished = 0;
  const { summary } = await rig.run({
    concurrency: 1,
    signal: stop.signal,
    observer: {
      userFinished: () => {
        if (++finished === 2) stop.abort();
      },
    },
  });
  expect(summary.status).toBe('interrupted');
  const lap = await lapOf(rig);
  expect([lap?.number, lap?.place === 0]).toEqual([2, false]);
  const order: string[] = [];
  await rig.export({ concurrency: 1, observer: { userStarted: (user) => void order.push(user) } });
  expect(order).toHaveLength(4);
  const again: string[] = [];
  await rig.export({ concurrency: 1, observer: { userStarted: (user) => void again.push(user) } });
  expect(again).toEqual(order);
});

describe('a night in which the service is down', () => {
  const down = [{ answer: { kind: 'error', status: 503, code: 1 } }] as const;

  /** Users in the order in which a run has visited them. */
  async function visitedBy(rig: ExportRig, options = {}): Promise<string[]> {
    const order: string[] = [];
    const userStarted = (user: string): void => void order.push(user);
    await rig.run({ concurrency: 1, observer: { userStarted }, ...options });
    return order;
  }

  it('neither ends a lap nor begins one', async () => {
    await using rig = await ExportRig.start({ users: 4, sessions: 3, ...plain });
    await rig.export();
    const before = await lapOf(rig);
    for (const options of [{}, { maxRequests: 100 }]) {
      rig.clock.ahead += DAY_MS;
      rig.emulator.faults.api = down;
      const { summary, error } = await rig.run(options);
      expect([error === undefined, summary.users.not_finished]).toEqual([false, 4]);
      // the first user's place is as far as the beginning
      const { number, beganAtMs, lastBeganAtMs } = (await lapOf(rig))!;
      expect(before).toMatchObject({ number, beganAtMs, lastBeganAtMs });
    }
  });

  it('from its second user on leaves the lap at that user', async () => {
    await using rig = await ExportRig.start({ users: 4, sessions: 3, ...plain });
    await rig.export();
    const before = await lapOf(rig);
    const [, second = ''] = await visitedBy(rig);
    let asked = 0;
    rig.emulator.faults.beforeRequest = ({ operation, userId }) => {
      // the first request of a run asks whether the key is right
      if (operation !== 'listSessions' || ++asked === 1) return;
      if (userId === second) rig.emulator.faults.api = down;
    };
    await visitedBy(rig);
    const lap = await lapOf(rig);
    expect([lap?.number, lap?.place === 0]).toEqual([(before?.number ?? 0) + 1, false]);
    rig.emulator.faults.beforeRequest = undefined;
    rig.emulator.faults.api = [];
    expect((await visitedBy(rig))[0]).toBe(second);
    expect((await lapOf(rig))?.number).toBe((before?.number ?? 0) + 2);
  });

  it('is none where one user alone has no answer: the lap goes on behind that one', async () => {
    await using rig = await ExportRig.start({ users: 4, sessions: 3, ...plain });
    await rig.export();
    const [first = ''] = await visitedBy(rig);
    const before = await lapOf(rig);
    rig.emulator.faults.api = [{ userId: first, answer: down[0].answer }];
    const { gaps } = await rig.export({ concurrency: 1 });
    expect(gaps.map(({ user }) => user)).toEqual([first]);
    expect(await placeOf(rig)).toEqual([(before?.number ?? 0) + 1, 0]);
  });
});

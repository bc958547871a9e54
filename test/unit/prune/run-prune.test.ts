/** Whole prunes, of an archive and a service in memory: their course, and how they end. */
import { beforeEach, expect, it } from 'vitest';
import type { Archive } from '../../../src/archive/archive.js';
import { userLeasePath } from '../../../src/archive/paths.js';
import { encodeLeaseNote } from '../../../src/archive/runs/lease.js';
import { asUserId } from '../../../src/model/ids.js';
import { LIMITS } from '../../../src/model/records.js';
import { pruneRules } from '../../../src/prune/prune-rules.js';
import { RequestBudget } from '../../../src/service/pace/request-budget.js';
import type { ArchivedService } from '../../support/http/archived-service.js';
import { MemoryPrune, only, unreachable } from '../../support/rigs/memory-prune.js';
import { runOf } from '../../support/store/archive-samples.js';
import { processes } from '../../support/store/begun-erasure.js';
import { commitJobs } from '../../support/store/written-jobs.js';
import { fault } from '../../support/base/fault.js';

let rig: MemoryPrune;
let archive: Archive;
let service: ArchivedService;
beforeEach(async () => {
  rig = await MemoryPrune.start();
  ({ archive, service } = rig);
});

const ALL = ['ann a1', 'ann a2', 'ben b1', 'cyd c1'];

it('a prune deletes what is archived and unchanged, records it, and leaves no intent or lease', async () => {
  const leases = rig.pathsIn('_leases');
  const { summary, error, failures } = await rig.prune();
  expect([error, [...failures]]).toEqual([undefined, []]);
  expect(service.left).toEqual([]);
  expect(service.deleted).toEqual(ALL);
  expect(summary).toMatchObject({
    status: 'complete',
    run: runOf('P'),
    // the last is a snapshot
    commits: [4, 5],
    deletions: { deleted: 4, refused: 0, left: 0, held: 0 },
    longest_check_to_delete_ms: rig.clock.monotonic(),
    requests: { api: 11, files: 5, retries: 5, rate_limited: 1 },
    duration_ms: 0,
  });
  expect(summary.sessions.map(({ name }) => name)).toContain('ben called it b1');
  const { deletions, scope, kind } = await archive.log.read(4);
  expect([kind, deletions.map(({ outcome }) => outcome)]).toEqual([
    'prune',
    Array(4).fill('confirmed'),
  ]);
  expect(scope).toEqual({
    older_than_ms: null,
    keep: null,
    free_slots: null,
    users: 0,
    sessions: [],
  });
  expect([rig.pathsIn('_intents'), rig.pathsIn('_leases')]).toEqual([[], leases]);
  expect(await rig.ends()).toEqual([]);
});

it('a prune tells the longest time up to a DELETE, and how long the run took', async () => {
  const took = new Map([
    ['ann a1', 30],
    ['ann a2', 90],
    ['ben b1', 10],
  ]);
  await rig.clock.advance(1000);
  service.before = async (operation, key) => {
    if (operation === 'getHistory') await rig.clock.advance(took.get(key) ?? 0);
  };
  const { summary } = await rig.prune();
  // this service says of each answer that it was asked for at 0
  expect(summary).toMatchObject({ longest_check_to_delete_ms: 1160, duration_ms: 160 });
});

it("a prune reads users' lists first, then each session once before and after its DELETE", async () => {
  await rig.prune(only('b1'));
  expect(service.asked).toEqual([
    'listSessions ben',
    'getHistory ben b1', // behind its end, once in a run
    'getSession ben b1',
    'getHistory ben b1',
    'deleteSession ben b1',
    'getSession ben b1',
  ]);
});

it('a prune records by which rules it went', async () => {
  const rules = { olderThanMs: 1, keep: 0, freeSlots: 150, users: ['ben'], sessions: ['b1'] };
  await rig.prune({ rules: pruneRules(rules) });
  expect((await archive.log.read(4)).scope).toEqual({
    older_than_ms: 1,
    keep: 0,
    free_slots: 150,
    users: 1,
    sessions: ['b1'],
  });
});

it('a prune deletes no more than one run may, counted over all users', async () => {
  expect(await rig.ends({ rules: pruneRules({ all: true, maxDelete: 1 }) })).toEqual([
    'ann a1: deleted',
    'ann a2: max-delete',
    'ben b1: max-delete',
    'cyd c1: max-delete',
  ]);
  // of a user with nothing to delete nothing is asked
  expect(service.asked.filter((one) => one.startsWith('list'))).toEqual(['listSessions ann']);
  expect(service.left).toHaveLength(3);
});

it('a prune deletes as many as free the slots asked for, by what the service lists', async () => {
  for (let n = 0; n < 38; n++) service.add({ user: 'ann', session: `x${n}`, job: `y${n}` });
  const listed = service.left.filter((key) => key.startsWith('ann')).length;
  const { sessionsPerUser: most } = LIMITS;
  const freeing = async (more: number) => {
    const freeSlots = most - listed + more;
    const { summary } = await rig.prune({ rules: pruneRules({ freeSlots, users: ['ann'] }) });
    return summary.sessions.map(({ outcome }) => outcome);
  };
  expect(await freeing(0)).toEqual(['kept', 'kept']);
  // nothing shows which of the two is newer
  expect(await freeing(1)).toEqual(['kept', 'kept']);
  expect(await freeing(2)).toEqual(['deleted', 'deleted']);
});

it('a prune deletes what may go of a user, beside what may not', async () => {
  await rig.hold({ sessions: ['a1'] });
  expect(await rig.ends({ rules: pruneRules({ all: true, users: ['ann'] }) })).toEqual([
    'ann a1: hold',
    'ann a2: deleted',
  ]);
});

it('a prune asks the service nothing about what a hold keeps', async () => {
  await rig.hold({ users: ['ann', 'ben', 'cyd'] });
  const { summary } = await rig.prune();
  expect(summary).toMatchObject({ status: 'complete', deletions: { deleted: 0, held: 4 } });
  expect(service.asked).toEqual([]);
});

it('a deletion that an earlier run had begun is recorded where the session is gone', async () => {
  await rig.begin('ann', 'a2');
  service.sessions.delete('ann a2');
  const { summary } = await rig.prune(only('a2'));
  expect(summary.sessions).toMatchObject([
    {
      session: 'a2',
      outcome: 'deleted',
      detail: 'an earlier run had begun it; it is confirmed now',
    },
  ]);
  expect((await archive.log.read(4)).deletions).toMatchObject([{ outcome: 'confirmed-later' }]);
  expect([summary.unfinished, rig.pathsIn('_intents')]).toEqual([0, []]);
});

it('a begun deletion is recorded where those that prove the key are gone by that run', async () => {
  for (const key of ALL) {
    await rig.begin(...(key.split(' ') as [string, string]));
    service.sessions.delete(key);
  }
  const { summary } = await rig.prune();
  expect(summary.deletions).toEqual({ deleted: 4, refused: 0, left: 0, held: 0 });
  expect(summary.unfinished).toBe(0);
});

it('a begun deletion is begun once more where the session is still there', async () => {
  await rig.begin('ann', 'a2');
  expect(await rig.ends(only('a2'))).toEqual(['ann a2: deleted']);
  expect((await archive.log.read(4)).deletions).toMatchObject([{ outcome: 'confirmed' }]);
});

it('a begun deletion is left alone where what became of it cannot be found out', async () => {
  await rig.begin('ann', 'a2');
  let isFirst = true;
  service.before = (operation) => {
    if (operation !== 'getSession' || !isFirst) return;
    isFirst = false;
    throw unreachable;
  };
  const { summary } = await rig.prune({ rules: pruneRules({ users: ['ann'] }) });
  expect(summary.sessions.map((one) => `${one.session}: ${one.reason ?? one.outcome}`)).toEqual([
    'a2: unconfirmed',
    'a1: deleted',
  ]);
  expect([summary.unfinished, summary.status]).toEqual([1, 'refused']);
  expect(service.left).toContain('ann a2');
  expect(rig.pathsIn('_intents')).toHaveLength(1);
});

it('a prune cut short records what it has deleted, and says that it was interrupted', async () => {
  service.before = (operation, key) => {
    if (operation === 'deleteSession' && key === 'ann a1') rig.stop.abort(new Error('SIGTERM'));
  };
  const { summary, error } = await rig.prune();
  expect([summary.status, error]).toEqual(['interrupted', undefined]);
  expect(service.deleted).toEqual(['ann a1']);
  expect((await archive.log.read(4)).deletions).toMatchObject([{ session: 'a1' }]);
  expect(rig.pathsIn('_leases')).toEqual([]);
});

it('a prune that ends before its time does nothing where it is stopped from the start', async () => {
  rig.stop.abort(new Error('SIGTERM'));
  const { summary } = await rig.prune();
  expect([summary.status, summary.sessions, service.asked]).toEqual(['interrupted', [], []]);
});

it('a prune cut short has failed where the service is not reached five times in a row', async () => {
  const many = Array.from({ length: 6 }, (_, n) => ({
    user: `u${n}`,
    session: `s${n}`,
    job: `j${n}`,
  }));
  await commitJobs(archive, many, { run: 'D', checkpoint: 5 });
  service.before = () => {
    throw unreachable;
  };
  const { summary, error, failures } = await rig.prune();
  expect([summary.status, error, [...failures]]).toEqual(['failed', unreachable, ['unreachable']]);
  expect(service.asked).toHaveLength(5);
});

it('a prune cut short has failed where deletions cannot be recorded; their intents stay', async () => {
  const failing = rig.reopened();
  const full = new Error('disk full');
  failing.log.append = () => Promise.reject(full);
  const { summary, error } = await rig.prune({ archive: failing, ...only('a2') });
  expect([summary.status, error]).toEqual(['failed', full]);
  expect([service.deleted, rig.pathsIn('_intents').length]).toEqual([['ann a2'], 1]);
});

it.each([
  ['a failure', 'that failure', 'its own'],
  ['an interruption', 'the record', 'disk full'],
])(
  'a prune that ends before its time by %s tells of %s where its deletions cannot be recorded',
  async (how, _, expected) => {
    const failing = rig.reopened();
    failing.log.append = () => Promise.reject(new Error('disk full'));
    service.before = (operation, key) => {
      if (operation !== 'listSessions' || key !== 'ben') return;
      if (how === 'an interruption') rig.stop.abort(new Error('SIGTERM'));
      throw new Error('its own');
    };
    const { summary, error } = await rig.prune({ archive: failing });
    expect([summary.status, error]).toEqual(['failed', new Error(expected)]);
    expect(rig.pathsIn('_intents')).toHaveLength(2);
  },
);

it('a prune cut short gives way to a run that works on a user, if it is told not to wait', async () => {
  const note = { run: runOf('X'), ...processes.self, beat: 0 };
  await archive.storage.put(userLeasePath(asUserId('ben')), encodeLeaseNote(note));
  const { summary, error } = await rig.prune();
  expect(summary.status).toBe('failed');
  expect(String(error)).toContain('user ben');
  expect(service.deleted).toEqual(['ann a1', 'ann a2']);
  expect((await archive.log.read(4)).deletions).toHaveLength(2);
});

it('what a budget does not suffice for is left for the next run', async () => {
  const pace = { acquire: () => Promise.resolve(), hold: () => Promise.resolve(() => undefined) };
  const budget = new RequestBudget(pace as never, { clock: rig.clock, maxRequests: 1 });
  const { summary } = await rig.prune({ budget });
  expect(summary).toMatchObject({
    status: 'complete',
    deletions: { deleted: 0, refused: 0, left: 4 },
  });
  expect(service.deleted).toEqual([]);
});

it(
  'deletes nothing of a user listed with a held session that is not archived as theirs',
  fault('F-123'),
  async () => {
    const rig = await MemoryPrune.start();
    await rig.hold({ users: ['ben'] });
    const ends = await rig.ends({ rules: pruneRules({ sessions: ['a2', 'c1'] }) });
    expect(ends).toEqual(expect.arrayContaining(['ann a2: deleted', 'cyd c1: deleted']));
    const renamed = await MemoryPrune.start();
    await renamed.hold({ users: ['ben'] });
    renamed.service.add({ user: 'ann', session: 'b1', job: 'k1', files: ['shared'] });
    const after = await renamed.ends({ rules: pruneRules({ sessions: ['a2', 'c1'] }) });
    expect(after.toSorted()).toEqual(['ann a2: hold', 'cyd c1: deleted']);
    expect(renamed.service.deleted).toEqual(['cyd c1']);
  },
);

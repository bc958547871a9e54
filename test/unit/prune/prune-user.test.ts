/** What is found out of each session right before it would be deleted, in whole prunes in memory. */
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { Archive } from '../../../src/archive/archive.js';
import { SharedJobs } from '../../../src/archive/histories/shared-jobs.js';
import { runLeasePath } from '../../../src/archive/paths.js';
import { encodeLeaseNote } from '../../../src/archive/runs/lease.js';
import { LIMITS } from '../../../src/model/records.js';
import { addHolds } from '../../../src/archive/holds/change-holds.js';
import { silentLogger } from '../../../src/base/logger.js';
import { ComparedSessions } from '../../../src/prune/compared-sessions.js';
import { pruneRules } from '../../../src/prune/prune-rules.js';
import { finishErasure } from '../../../src/archive/erasing/finish-erasure.js';
import type { ArchivedService } from '../../support/http/archived-service.js';
import { failed } from '../../support/http/one-deletion.js';
import { MemoryPrune, only, unreachable } from '../../support/rigs/memory-prune.js';
import { artifactFor, draft, job, runOf, session } from '../../support/store/archive-samples.js';
import { BegunErasure, processes } from '../../support/store/begun-erasure.js';
import { commitJobs, type JobToWrite } from '../../support/store/written-jobs.js';
import { fault } from '../../support/base/fault.js';
import { artifactsIn } from '../../support/store/artifacts-in.js';

let rig: MemoryPrune;
let archive: Archive;
let service: ArchivedService;
beforeEach(async () => {
  rig = await MemoryPrune.start();
  ({ archive, service } = rig);
});
afterEach(() => vi.restoreAllMocks());

it('a session that the service has changed since stays in the service', async () => {
  service.add({ user: 'ann', session: 'a1', job: 'j9' });
  service.sessions.get('ben b1')!.jobs = [];
  const renamed = service.sessions.get('cyd c1')!;
  renamed.record = { value: { ...renamed.record.value, name: 'New' }, text: '{"name":"New"}' };
  expect(await rig.ends()).toEqual([
    'ann a1: grown',
    'ann a2: deleted',
    'ben b1: vanished',
    'cyd c1: changed',
  ]);
});

it('a session stays where its list is not proven complete, or cannot be asked for', async () => {
  service.stale = (operation) => (operation === 'listSessions' ? 'Age: 12' : undefined);
  expect((await rig.ends()).map((one) => one.split(': ')[1])).toEqual(Array(4).fill('unproven'));
  service.stale = () => undefined;
  service.before = (operation, user) => {
    if (operation === 'listSessions' && user === 'ann') {
      throw unreachable;
    }
  };
  const { summary, failures } = await rig.prune();
  expect(summary.sessions.map(({ reason }) => reason)).toEqual(['service', 'service', null, null]);
  expect([...failures]).toEqual(['unreachable']);
  expect(service.left).toEqual(['ann a1', 'ann a2']);
});

it(
  "a session stays that another run archived since: its jobs may be another's",
  fault('F-75'),
  async () => {
    let isArchived = false;
    service.before = async (operation, user) => {
      if (operation !== 'listSessions' || user !== 'ann' || isArchived) return;
      isArchived = true;
      const again: JobToWrite = { user: 'ben', session: 'b1', job: 'k1', files: ['shared'] };
      await commitJobs(archive, [{ ...again, version: 2 }], { run: 'D', checkpoint: 5 });
    };
    expect(await rig.ends()).toContain('ben b1: outdated');
    expect(service.left).toContain('ben b1');
  },
);

it('a session stays where the clocks differ, or this one is set during the prune', async () => {
  service.clockGapMs = 6 * 60_000;
  expect((await rig.ends()).every((one) => one.endsWith(': clock'))).toBe(true);
  service.clockGapMs = 0;
  const now = rig.clock.now.bind(rig.clock);
  let aheadMs = 0;
  rig.clock.now = () => now() + aheadMs;
  service.before = (operation, user) => {
    if (operation === 'listSessions' && user === 'ben') aheadMs = 6 * 60_000;
  };
  expect(await rig.ends()).toEqual([
    'ann a1: deleted',
    'ann a2: deleted',
    'ben b1: clock',
    'cyd c1: deleted',
  ]);
});

it('a session stays without a job and a clock shown right: it must be empty for a day', async () => {
  await archive.index.refresh();
  const sessions = [session('ann', 'a3', { total: 0, archived: 0 })];
  await archive.log.append(draft({ base: archive.index.through, run: runOf('D'), sessions }));
  service.add({ user: 'ann', session: 'a3', job: 'none' });
  service.sessions.get('ann a3')!.jobs = [];
  service.clockGapMs = null;
  expect(await rig.ends()).toEqual([
    'ann a1: deleted',
    'ann a2: deleted',
    'ann a3: clock',
    'ben b1: deleted',
    'cyd c1: deleted',
  ]);
  service.clockGapMs = 0;
  expect(await rig.ends()).toEqual(['ann a3: rows']); // what is asked next
});

it('a session stays in the service where its archive files are damaged', async () => {
  await archive.storage.put(artifactFor('of cyd').path, Buffer.from('other'));
  expect(await rig.ends()).toContain('cyd c1: damaged');
  expect(service.left).toEqual(['cyd c1']);
});

it('a session that is put on hold while it is read again stays in the service', async () => {
  rig.meanwhile('ann a2', () => rig.hold({ sessions: ['a2'] }));
  expect(await rig.ends()).toContain('ann a2: hold');
  expect(service.left).toEqual(['ann a2']);
});

it('a session that another run archives while it is read again stays in the service', async () => {
  rig.meanwhile('ben b1', () =>
    rig
      .reopened()
      .log.append(
        draft({ base: 3, run: runOf('C'), sessions: [session('ben', 'b1', { version: 2 })] }),
      ),
  );
  const { summary } = await rig.prune();
  expect(summary.sessions.find(({ user }) => user === 'ben')).toMatchObject({
    reason: 'conflict',
    detail: 'another run has just archived it: it is planned again next time',
  });
  expect(service.left).toEqual(['ben b1']);
});

it(
  'a session stays whose jobs another run archives in another one while it is reread',
  fault('F-75'),
  async () => {
    const unique = 'cm1x2y3z40000abcd1234efgh';
    const own: JobToWrite = { user: 'dan', session: 'd1', job: unique };
    await commitJobs(archive, [own], { run: 'D', checkpoint: 5 });
    await archive.index.refresh();
    service.add(own);
    rig.meanwhile('dan d1', async () => {
      const twice: JobToWrite = { user: 'eve', session: 'e1', job: unique };
      await commitJobs(rig.reopened(), [twice], { run: 'E', checkpoint: 6 });
    });
    expect(await rig.detailOf('dan d1', only('d1'))).toBe(
      'another run has just archived session e1 with jobs of it: it is planned again next time',
    );
    expect(service.left).toContain('dan d1');
  },
);

it('a session stays where any erasure gets its receipt while it is read again', async () => {
  rig.meanwhile('ben b1', () => new BegunErasure(rig.reopened()).begin());
  expect(await rig.detailOf('ben b1', only('b1'))).toBe(
    'an erasure came in between: it is planned again next time',
  );
  expect(service.deleted).toEqual([]);
});

it('a session stays where a whole erasure comes in between, or ends an earlier one', async () => {
  const between = 'an erasure came in between: it is planned again next time';
  const of = { users: ['cyd'], sessions: [] };
  rig.meanwhile('ben b1', async () => {
    const erasing = rig.reopened();
    const begun = new BegunErasure(erasing, of);
    await begun.begin();
    const finishing = { archive: erasing, run: begun.run, checkpoint: 2 };
    await finishErasure(finishing, begun.run);
    expect(erasing.index.openErasures.size).toBe(0);
  });
  expect(await rig.detailOf('ben b1', only('b1'))).toBe(between);

  const other = await MemoryPrune.start();
  await new BegunErasure(other.reopened(), of).begin();
  expect(await other.detailOf('ben b1', only('b1'))).toBe(between);
  expect([...service.deleted, ...other.service.deleted]).toEqual([]);
});

it('a session stays where there was no room to compare its jobs with all others', async () => {
  vi.spyOn(SharedJobs.prototype, 'add').mockReturnValueOnce(true).mockReturnValue(false);
  const { summary } = await rig.prune({ rules: pruneRules({ users: ['ann'] }) });
  expect(summary.sessions.find(({ session: id }) => id === 'a2')).toMatchObject({
    reason: 'doubtful',
    detail:
      'there is no room to compare its jobs with those of all others: prune fewer users at a time (--user)',
  });
  expect(service.deleted).toEqual(['ann a1']);
});

it('a session stays whose final check cannot be read, and the run tells of that failure', async () => {
  service.before = (operation) => {
    if (operation === 'getSession') throw unreachable;
  };
  const { summary, failures } = await rig.prune(only('b1'));
  expect([summary.sessions[0]?.reason, ...failures]).toEqual(['service', 'unreachable']);
});

it.each([
  ['may be at work', 'elsewhere', ['ben b1: conflict']],
  ['is dead', 'here', ['ben b1: deleted']],
])(
  'a session stays in the service where an erasure is being prepared by a run that %s',
  async (_, host, expected) => {
    const { storage } = archive;
    const run = runOf('E');
    await storage.put(`_erasures/${run}/plan.json`, Buffer.from('{}'));
    const note = { run, host, boot: 'today', pid: 7, started: '1', beat: 0 };
    await storage.put(runLeasePath(run), encodeLeaseNote(note));
    expect(await rig.ends(only('b1'))).toEqual(expected);
  },
);

describe('prune user', () => {
  const spoiled = {
    'before the final check': async () => {
      for (const path of (await artifactsIn(archive)).keys()) {
        await archive.storage.put(path, Buffer.from('other'));
      }
    },
    'by the final check': () => {
      service.add({ user: 'ann', session: 'a1', job: 'j9' });
    },
  };

  it.each(Object.entries(spoiled))(
    'refused %s, a session leaves the most that may go to the next, and its slot is not free',
    async (_, spoil) => {
      for (const rule of [{ all: true, maxDelete: 1 }, { freeSlots: LIMITS.sessionsPerUser }]) {
        rig = await MemoryPrune.start();
        ({ archive, service } = rig);
        await spoil();
        const { summary } = await rig.prune({ rules: pruneRules({ ...rule, users: ['ann'] }) });
        expect(summary.sessions.map(({ outcome }) => outcome)).toEqual(['refused', 'deleted']);
        expect(service.left).not.toContain('ann a2');
      }
    },
  );
});

it('a DELETE that may have worked is one of the most that may go, whatever a later check finds', async () => {
  const own: JobToWrite = { user: 'dan', session: 'd1', job: 'm1', files: ['of dan'] };
  const next: JobToWrite = { user: 'dan', session: 'd2', job: 'm2' };
  await commitJobs(archive, [own, next], { run: 'D', checkpoint: 5 });
  await archive.index.refresh();
  service.add(own);
  service.add(next);
  service.before = (operation, key) => {
    if (operation !== 'deleteSession' || key !== 'dan d1') return;
    // the next final check finds another URL: its bytes decide, and the one after them a new job
    const served = service.sessions.get(key)!;
    const text = served.jobs[0]!.text.replace('0.csv', '0.csv?edition=2');
    served.jobs = [{ text, value: JSON.parse(text) as never }];
    throw failed;
  };
  rig.fetched = () => {
    service.add({ ...own, job: 'm3' });
    return 'of dan';
  };
  const client = Object.assign(rig.service.client, { waitAfter: () => 0 });
  const rules = pruneRules({ users: ['dan'], all: true, maxDelete: 1 });
  expect(await rig.ends({ service: client, rules })).toEqual([
    'dan d1: grown',
    'dan d2: max-delete',
  ]);
  expect(service.deleted).toEqual(['dan d1']);
});

it('an unlisted session is recorded as gone where the key shows another one of the user', async () => {
  service.sessions.delete('ann a2');
  const { summary } = await rig.prune(only('a2'));
  expect(summary).toMatchObject({
    status: 'complete',
    gone: 1,
    deletions: { deleted: 0 },
    sessions: [
      {
        outcome: 'gone',
        name: null,
        detail: 'it was already gone from the service, and is recorded as that',
      },
    ],
  });
  expect((await archive.log.read(4)).deletions).toMatchObject([
    { session: 'a2', outcome: 'already-gone', commit: 2, job_count: 1 },
  ]);
  expect(service.deleted).toEqual([]);
});

it('an unlisted session is not recorded as gone where the list may not be whole', async () => {
  service.sessions.delete('ann a2');
  service.stale = (operation) => (operation === 'listSessions' ? 'Age: 12' : undefined);
  expect(await rig.ends(only('a2'))).toEqual(['ann a2: unproven']);
  await archive.index.refresh();
  expect(archive.index.through).toBe(3);
});

it('an unlisted session is not gone where the service shows only one deleted already', async () => {
  await rig.prune(only('a1'));
  service.add({ user: 'ann', session: 'a1', job: 'j1' });
  service.sessions.delete('ann a2');
  expect(await rig.detailOf('ann a2', only('a2'))).toMatch(
    /^the archive holds 1 session of this user and the service lists none of these sessions: /,
  );
});

it.each([
  ['no session', () => service.sessions.delete('ben b1')],
  [
    'none of these sessions',
    () => {
      service.sessions.delete('ben b1');
      service.add({ user: 'ben', session: 'of another project', job: 'x' });
    },
  ],
])(
  "an unlisted session proves nothing where the list has %s: the key may be another's",
  async (listed, change) => {
    change();
    expect(await rig.detailOf('ben b1')).toBe(
      `the archive holds 1 session of this user and the service lists ${listed}: nothing is deleted, for the API key may be that of another project`,
    );
    expect(await rig.ends(only('b1'))).toEqual(['ben b1: not-listed']);
  },
);

it('an unlisted session stays where it can be read, or where that cannot be asked', async () => {
  const { client } = service;
  const hiding: typeof client = {
    ...client,
    clockGapMs: 0,
    listSessions: async (request) => {
      const page = await client.listSessions(request);
      const records = page.records.filter(({ value }) => value.id !== 'a2');
      return { ...page, records, totalItems: records.length };
    },
  };
  const { summary } = await rig.prune({ ...only('a2'), service: hiding });
  expect(summary.sessions).toMatchObject([
    { reason: 'not-listed', detail: 'the service does not list it, and yet it can be read' },
  ]);
  service.before = (operation) => {
    if (operation === 'getSession') throw unreachable;
  };
  expect(await rig.ends({ ...only('a2'), service: hiding })).toEqual(['ann a2: service']);
  expect(service.deleted).toEqual([]);
});

describe('prune user', () => {
  /** Told by an id that carries a time. */
  const id = 'cm1x2y3z40000abcd1234efgh';
  const other: JobToWrite = { user: 'eve', session: 'e1', job: id };

  beforeEach(async () => {
    const twice: JobToWrite = { user: 'dan', session: 'd1', job: id };
    await commitJobs(archive, [twice, other], { run: 'D', checkpoint: 5 });
    await archive.index.refresh();
    service.add(twice);
    service.add(other);
  });

  it('two sessions that share a job stay both, each with the name of the other', async () => {
    const { summary } = await rig.prune();
    const doubtful = summary.sessions.filter(({ reason }) => reason === 'doubtful');
    expect(doubtful.map(({ session: one, detail }) => `${one}: ${detail}`)).toEqual([
      'd1: it has, or had, jobs of session e1: one of the two was answered with the history of the other',
      'e1: it has, or had, jobs of session d1: one of the two was answered with the history of the other',
    ]);
    expect(service.left).toEqual(['dan d1', 'eve e1']);
  });

  it('two sessions that share a job stay also where the other one is not considered, or gone', async () => {
    expect(await rig.ends({ rules: pruneRules({ users: ['dan'] }) })).toEqual(['dan d1: doubtful']);
    await rig.prune({ rules: pruneRules({ sessions: ['a1'] }) });
    service.sessions.delete('eve e1');
    service.add({ ...other, session: 'e2', job: 'x' });
    await rig.reopened().log.append(
      draft({
        base: archive.index.through,
        run: runOf('G'),
        sessions: [session('eve', 'e1', { version: 6, gone_at: '2026-11-20T00:00:00.000Z' })],
      }),
    );
    service.asked.length = 0;
    expect(await rig.ends(only('d1'))).toEqual(['dan d1: doubtful']);
    // nothing can show it any more: the other one is not asked for
    expect(service.asked).toEqual(['listSessions dan']);
  });

  it('two sessions that share a job stay where the archive no longer has the other one', async () => {
    const own = rig.reopened();
    const load = own.states.load.bind(own.states);
    service.before = (operation) => {
      if (operation !== 'listSessions') return;
      own.states.load = async (user) => {
        const state = await load(user);
        return user === 'eve' ? { ...state, sessions: new Map() } : state;
      };
    };
    expect(await rig.ends({ ...only('d1'), archive: own })).toEqual(['dan d1: doubtful']);
    expect(service.asked).toEqual(['listSessions dan']);
  });

  it('two sessions that share a job stay also where it was withdrawn from one of them', async () => {
    const line = { ...job('eve', 'e1', other.job), version: 2, withdrawn: true as const };
    const sessions = [session('eve', 'e1', { version: 7, archived: 0 })];
    const base = archive.index.through;
    await rig.reopened().log.append(draft({ base, run: runOf('G'), sessions, jobs: [line] }));
    expect(await rig.ends(only('d1'))).toEqual(['dan d1: doubtful']);
    expect(await rig.ends(only('e1'))).toEqual(['eve e1: doubtful']);
    expect(await rig.detailOf('eve e1', only('e1'))).toBe(
      '1 job of it turned out to be of another session: what it was answered with proves nothing',
    );
  });
});

/** Resolves when a final check has compared what other runs have archived since. */
function firstComparison(): Promise<void> {
  type Compare = ComparedSessions['compareNewer'];
  const { prototype } = ComparedSessions;
  const own: TypedPropertyDescriptor<Compare> | undefined = Object.getOwnPropertyDescriptor(
    prototype,
    'compareNewer',
  );
  return new Promise((resolve) => {
    vi.spyOn(prototype, 'compareNewer').mockImplementation(async function (
      this: ComparedSessions,
      piece,
    ) {
      await own?.value?.call(this, piece);
      resolve();
    });
  });
}

it(
  'a session stays also where only the second final check shows its jobs in another',
  fault('F-75'),
  async () => {
    const id = 'cm1x2y3z40000abcd1234efgh';
    const own: JobToWrite = { user: 'dan', session: 'd1', job: id, files: ['of dan'] };
    await commitJobs(archive, [own], { run: 'D', checkpoint: 5 });
    await archive.index.refresh();
    service.add(own);
    const served = service.sessions.get('dan d1')!;
    const text = served.jobs[0]!.text.replace('0.csv', '0.csv?edition=2');
    served.jobs = [{ text, value: JSON.parse(text) as never }];
    rig.fetched = 'of dan';
    let checks = 0;
    const compared = firstComparison();
    service.before = async (operation, key) => {
      if (operation !== 'getSession' || key !== 'dan d1') return;
      const twice: JobToWrite = { user: 'eve', session: 'e1', job: id };
      if (++checks === 1) await commitJobs(rig.reopened(), [twice], { run: 'E', checkpoint: 6 });
      // what the first check has asked of the log is answered by now
      else await compared;
    };
    expect(await rig.ends(only('d1'))).toEqual(['dan d1: conflict']);
    expect(checks).toBe(2);
    expect(service.left).toContain('dan d1');
  },
);

describe('prune user', () => {
  beforeEach(() => {
    const served = service.sessions.get('cyd c1')!;
    const text = served.jobs[0]!.text.replace('0.csv', '0.csv?edition=2');
    served.jobs = [{ text, value: JSON.parse(text) as never }];
  });

  it('files at other URLs are fetched, and the session goes where they are the archived bytes', async () => {
    rig.fetched = 'of cyd';
    expect(await rig.ends(only('c1'))).toEqual(['cyd c1: deleted']);
    expect(service.asked.filter((one) => one === 'getHistory cyd c1')).toHaveLength(4);
  });

  it('files at other URLs are fetched, and the session stays where they are others', async () => {
    rig.fetched = 'of somebody else';
    expect(await rig.ends(only('c1'))).toEqual(['cyd c1: changed']);
    expect(await rig.detailOf('cyd c1', only('c1'))).toBe(
      'the files of 1 job changed since: to be archived by the next export --full',
    );
    expect(service.deleted).toEqual([]);
  });
});

describe('prune user', () => {
  const told: string[] = [];
  const hold = async (users: string[], over: Partial<Archive> = {}) => {
    told.length = 0;
    const logger = { ...silentLogger, warn: (_: unknown, text: string) => void told.push(text) };
    const own = { ...rig.reopened(), clock: rig.clock, processes, logger, ...over };
    await addHolds(own, { users, reason: 'Matter 7', by: 'Dana' });
  };
  const tooLate = (session: string) =>
    `session "${session}" was about to be deleted from the service when the hold was set, which may have come too late: look whether it is still there`;

  it(
    'a hold set during a deletion says that it may be too late, of that session alone',
    fault('F-105'),
    async () => {
      service.before = async (operation, asked) => {
        if (operation === 'deleteSession' && asked === 'ann a1') await hold(['ann']);
      };
      // what comes after the hold stays
      expect(await rig.ends({ rules: pruneRules({ users: ['ann'], all: true }) })).toEqual([
        'ann a1: deleted',
        'ann a2: hold',
      ]);
      expect(told).toEqual([tooLate('a1')]);
    },
  );

  it('a hold set during a deletion says nothing of others, nor where the run is dead', async () => {
    await rig.begin('ann', 'a1');
    await hold(['ben']);
    expect(told).toEqual([]);
    await hold(['ann']);
    expect(told).toEqual([]);
  });
});

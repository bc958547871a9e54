/** Whether the history that comes is the session's own: beside what was read in the run, what is archived, and what comes again. */
import { beforeEach, describe, expect, it } from 'vitest';
import type { Archive } from '../../../../src/archive/archive.js';
import type { GapEntry, SessionEntry } from '../../../../src/archive/log/commit.js';
import type { SessionRef } from '../../../../src/archive/histories/shared-jobs.js';
import { silentLogger } from '../../../../src/base/logger.js';
import { CircuitBreaker, type ExportRun } from '../../../../src/export/export-run.js';
import type { HistoryVerdict } from '../../../../src/export/history/changed-history.js';
import { isInDoubtFor, readOwnHistory } from '../../../../src/export/history/own-history.js';
import { ReadHistories } from '../../../../src/export/history/read-histories.js';
import { asJobId, asSessionId, asUserId } from '../../../../src/model/ids.js';
import { BudgetSpentError } from '../../../../src/service/pace/request-budget.js';
import { PageGrant } from '../../../../src/service/page.js';
import {
  NotFoundError,
  PagingError,
  StaleAnswerError,
} from '../../../../src/service/service-errors.js';
import { draft, job, makeArchive, session } from '../../../support/store/archive-samples.js';
import { archived } from '../../../support/store/archived-sessions.js';
import { createMemoryStorage } from '../../../support/store/memory-storage.js';

/** An id that is unique, so that it tells in which session it is; from 1000 on one that counts, and tells nothing. */
const id = (n: number): string =>
  n >= 1000 ? String(n) : `cm3ikdeuj02zk01l1yeui${String(n).padStart(4, '0')}`;
const ids = (...numbers: readonly number[]) => numbers.map(id);
const NO_PLACE = { job: null, role: null, block_index: null, file_index: null, kind: null };
const DOUBT = { ...NO_PLACE, status: 'doubtful', reason: 'in doubt' };
const sharedWith = (other: string): GapEntry => ({ ...DOUBT, shared_with: asSessionId(other) });
const missing = (...numbers: number[]): GapEntry => ({
  ...DOUBT,
  missing_jobs: ids(...numbers).map(asJobId),
});
/** In place of jobs that do not come. */
const CUT = -1;
const GONE = Object.assign(Object.create(NotFoundError.prototype) as NotFoundError, {
  message: 'there is no such session',
});

let archive: Archive;
let histories: ReadHistories;
/** What the service shows of a session now, and for which it was asked. */
let shown: Map<string, readonly number[] | Error>;
let asked: string[];
let run: ExportRun;
beforeEach(async () => {
  archive = await makeArchive(createMemoryStorage());
  histories = new ReadHistories();
  [shown, asked] = [new Map(), []];
  run = {
    archive: { logger: silentLogger },
    checkpointer: { options: { archive } },
    failures: new CircuitBreaker(),
    grants: { sessions: new PageGrant(100), history: new PageGrant(100) },
    histories,
    service: { getHistory },
    signal: new AbortController().signal,
  } as unknown as ExportRun;
});

function getHistory({ sessionId, pageNumber }: { sessionId: string; pageNumber: number }) {
  asked.push(sessionId);
  const jobs = shown.get(sessionId) ?? [];
  if (jobs instanceof Error) return Promise.reject(jobs);
  const records =
    pageNumber > 1
      ? []
      : ids(...jobs.filter((one) => one !== CUT)).map((job_id) => ({
          value: { job_id },
          text: `{"job_id":"${job_id}"}`,
        }));
  const served = { sentAtMonotonicMs: 0, dateMs: 0 };
  return Promise.resolve({ pageNumber, pageSize: 99, totalItems: jobs.length, records, served });
}

/** Archives jobs of a session, before the run. */
async function has(user: string, of: string, jobs: number[], over: Partial<SessionEntry> = {}) {
  await archive.index.refresh();
  const lines = ids(...jobs).map((name, index) => job(user, of, name, { index }));
  const sessions = [session(user, of, over)];
  await archive.log.append(draft({ base: archive.index.through, sessions, jobs: lines }));
  await archive.index.refresh();
}

interface Told {
  readonly shared: string | undefined;
  /** Numbers of the missing jobs. */
  readonly missing: readonly number[] | undefined;
  readonly own: readonly number[] | undefined;
  /** Page size of each reading; undefined: that of the run. */
  readonly sizes: readonly (number | undefined)[];
  readonly reason: string | undefined;
}

interface Asked {
  readonly suspects?: readonly SessionRef[];
  readonly gap?: Error;
}

/** Reads a session that comes with these jobs, one reading after the other. */
async function read(name: string, readings: readonly number[][], over: Asked = {}): Promise<Told> {
  const [user = '', of = ''] = name.split(' ');
  const { sessions } = await archive.states.load(asUserId(user));
  const known = sessions.get(asSessionId(of));
  const sizes: (number | undefined)[] = [];
  const { doubt, own } = await readOwnHistory(run, {
    ref: { user, session: of },
    known,
    suspects: over.suspects,
    read: (grant) => {
      const jobs = ids(...(readings[sizes.length] ?? readings.at(-1) ?? []));
      sizes.push(grant?.size);
      const { gap } = over;
      const verdict = { distinct: jobs.length, totalItems: jobs.length, gap, growth: null };
      const whole = gap ? undefined : new Map(jobs.map((one) => [one, `hash of ${one}`]));
      const facts = { user, session: of, ids: new Set(jobs), whole };
      return Promise.resolve({ verdict: verdict as HistoryVerdict, facts, sent: new Set(jobs) });
    },
  });
  const numbers = (list: readonly string[] | undefined) =>
    list?.map((one) => Number(one.slice(-4)));
  return {
    shared: doubt?.sharedWith,
    missing: numbers(doubt?.missingJobs),
    own: numbers(own),
    sizes,
    reason: doubt?.reason,
  };
}

const ref = (user: string, of: string): SessionRef => ({ user, session: of });
const again = (): Record<string, string[]> =>
  Object.fromEntries(
    [...histories.toReadAgain().values()]
      .flat()
      .map((one) => [one.session, one.suspects.map((suspect) => suspect.session)]),
  );

it('a history with jobs of its own is read once, and is in no doubt', async () => {
  await has('ann', 'a', [1, 2]);
  expect(await read('ann a', [[1, 2, 3]])).toMatchObject({
    shared: undefined,
    sizes: [undefined],
  });
  expect(await read('ann b', [[4]])).toEqual({
    ...{ shared: undefined, missing: undefined, own: undefined, reason: undefined },
    sizes: [undefined],
  });
  expect([again(), asked]).toEqual([{}, []]);
  expect(histories.hasRead('b')).toBe(true);
});

it('a history with jobs of another session is read again with pages of another size, and may come as its own', async () => {
  await read('ann a', [[1, 2]]);
  const told = await read('ann b', [
    [1, 2],
    [3, 4],
  ]);
  expect(told).toMatchObject({ shared: undefined, missing: undefined, own: [3, 4] });
  expect([told.sizes, again(), asked]).toEqual([[undefined, 99], {}, []]);
  run = { ...run, grants: { ...run.grants, history: new PageGrant(2) } };
  expect((await read('ann c', [[3], [5]])).sizes).toEqual([undefined, 3]);
});

it('a history that comes with jobs of another one twice is in doubt, and so is the other', async () => {
  await read('ann a', [[1, 2]]);
  shown.set('a', [1, 2]);
  expect(await read('ben b', [[2, 9]])).toMatchObject({ shared: 'a', own: undefined });
  expect(['a', 'b'].map((of) => histories.isDoubted(ref(of === 'a' ? 'ann' : 'ben', of)))).toEqual([
    true,
    true,
  ]);
  // b has been read to its end; a is read again, beside b
  expect(again()).toEqual({ a: ['b'] });
});

it('a history of a session with a known doubt beside it is one more, without a further look', async () => {
  await has('ben', 'b', [1]);
  await read('ann a', [[1]]);
  histories.doubt(ref('ann', 'a'));
  shown.set('a', [8]);
  expect(await read('ben b', [[1]])).toMatchObject({ shared: 'a' });
  expect(asked).toEqual([]);
});

it('a history that is read again beside suspects is in doubt with those, unless they show others now', async () => {
  const suspects = [ref('ann', 'a')];
  shown.set('a', [1]);
  const told = await read('ben b', [[1]], { suspects });
  expect(told).toMatchObject({ shared: 'a', sizes: [99] });
  shown.set('a', [7]);
  await has('ben', 'c', [2]);
  // what the archive has may come from the first reading in this run: it establishes nothing
  expect(await read('ben c', [[2]], { suspects })).toMatchObject({ shared: 'a' });
});

it('a history of which only a part was asked for says nothing of what else is archived', async () => {
  await has('ann', 'a', [1, 2]);
  expect(await read('ann a', [[2, 3]])).toMatchObject({ own: undefined, sizes: [undefined] });
});

it('a history names no jobs of its own where nothing else is archived, or nothing comes', async () => {
  await has('ann', 'a', [1, 2], { gaps: [missing(1)] });
  expect(await read('ann a', [[1, 2]])).toMatchObject({ missing: undefined, own: undefined });
  const told = await read('ben b', [[1], []]);
  expect(told).toMatchObject({ shared: undefined, missing: undefined, own: undefined });
});

it('a history that is read again beside suspects is its own where they show what they were archived with', async () => {
  await has('ann', 'a', [7]);
  await read('ann a', [[7]]);
  shown.set('a', [7]);
  const told = await read('ben b', [[4]], { suspects: [ref('ann', 'a')] });
  expect(told).toMatchObject({ shared: undefined, own: undefined, sizes: [99] });
});

it('a history with jobs that came meanwhile with another session is read again, and so is that', async () => {
  await has('BEN', 'b', []);
  const load = archive.states.load.bind(archive.states);
  archive.states.load = (user) => {
    const whole = undefined;
    if (user === 'BEN') histories.keep({ ...ref('ann', 'a'), ids: ids(1), whole });
    return load(user);
  };
  expect(await read('ben b', [[1]])).toMatchObject({ shared: undefined });
  expect(again()).toEqual({ a: ['b'], b: ['a'] });
});

it('of two sessions that came with the same jobs the one whose jobs were archived before keeps them where the other shows others now', async () => {
  await has('ben', 'b', [1, 2]);
  await read('ann a', [[1]]);
  shown.set('a', [7]);
  expect(await read('ben b', [[1, 2]])).toMatchObject({
    shared: undefined,
    sizes: [undefined, 99],
  });
  expect(again()).toEqual({ a: [] });
  expect(histories.othersWith({ ...ref('x', 'x'), ids: ids(1), whole: undefined })).toEqual([
    ref('ben', 'b'),
  ]);
});

it('of two sessions that came with the same jobs one keeps them where the other shows what it was archived with', async () => {
  await has('ann', 'a', [7]);
  await read('ann a', [[1, 7]]);
  shown.set('a', [7]);
  expect(await read('ben b', [[1]])).toMatchObject({ shared: undefined });
});

it.each<[string, readonly number[] | Error]>([
  ['shows the same', [1]],
  ['shows nothing', []],
  ['is gone', GONE],
  ['cannot be read', new StaleAnswerError('from a cache')],
  ['comes cut off', [7, CUT]],
])(
  'of two sessions that came with the same jobs both are in doubt where the other %s',
  async (_what, now) => {
    await has('ben', 'b', [1, 2]);
    await read('ann a', [[1]]);
    shown.set('a', now);
    expect(await read('ben b', [[1, 2]])).toMatchObject({ shared: 'a' });
  },
);

it('of two sessions that came with the same jobs both are in doubt where nothing was archived before, though the other shows others now', async () => {
  await read('ann a', [[1]]);
  shown.set('a', [7]);
  expect(await read('ben b', [[1]])).toMatchObject({ shared: 'a' });
});

it('of two sessions that came with the same jobs both are in doubt where what was archived was in doubt, or is not what came', async () => {
  await has('ben', 'b', [1], { gaps: [sharedWith('z')] });
  await has('ben', 'c', [3, 2], { own_jobs: [asJobId(id(3))] });
  await read('ann a', [[1, 2]]);
  shown.set('a', [7]);
  expect(await read('ben b', [[1]])).toMatchObject({ shared: 'a' });
  expect(await read('ben c', [[2, 5]])).toMatchObject({ shared: 'a', missing: [3] });
});

it.each([
  ['ends the run', () => new Error('a bug')],
  ['has spent the budget', () => new BudgetSpentError('spent')],
])(
  'of two sessions that came with the same jobs neither is told where the look at the other %s',
  async (_what, made) => {
    const error = made();
    await read('ann a', [[1]]);
    shown.set('a', error);
    await expect(read('ben b', [[1]])).rejects.toBe(error);
  },
);

it('of two sessions that came with the same jobs neither is told where the run is stopped', async () => {
  await read('ann a', [[1]]);
  shown.set('a', GONE);
  run = { ...run, signal: AbortSignal.abort() };
  await expect(read('ben b', [[1]])).rejects.toBe(GONE);
});

describe('own history', () => {
  beforeEach(() => has('ann', 'a', [1, 2]));

  it('a history without any of the archived jobs is read again, and is in doubt where none of them comes then, either', async () => {
    expect(await read('ann a', [[3]])).toMatchObject({
      ...{ shared: undefined, missing: [1, 2], own: undefined },
      sizes: [undefined, 99],
    });
    expect(await read('ann a', [[]])).toMatchObject({ missing: [1, 2] });
    expect(await read('ann a', [[3], [1, 4]])).toMatchObject({ missing: undefined, own: [1, 4] });
  });

  it('a history without any of the archived jobs is in no doubt where it was not read to its end', async () => {
    const gap = new PagingError('cut');
    expect(await read('ann a', [[3]], { gap })).toMatchObject({
      missing: undefined,
      sizes: [undefined],
    });
    expect(await read('ann a', [[3], [1]], { gap })).toMatchObject({ own: undefined });
  });

  it('a history without any of the archived jobs is in doubt beside the session that came with them in this run', async () => {
    await read('ben b', [[1, 2, 8]]);
    expect(await read('ann a', [[3]])).toMatchObject({ shared: 'b', missing: [1, 2] });
    expect(again()).toEqual({ b: ['a'] });
  });

  it('a history without any of the archived jobs is in doubt beside each session that has its jobs, and looks once at none that shows what it lost', async () => {
    await read('ben b', [[1, 2, 8]]);
    await read('cid c', [[3]]);
    shown.set('c', [3]);
    expect(await read('ann a', [[3, 8]])).toMatchObject({ shared: 'b', missing: [1, 2] });
    expect(histories.isDoubted(ref('cid', 'c'))).toBe(true);
    expect(new Set(asked)).toEqual(new Set(['c']));
    expect(again()).toEqual({ b: ['a'], c: ['a'] });
  });

  it('a history without any of the archived jobs makes one doubtful that comes later with all of them, also where their ids count', async () => {
    await has('ann', 'c', [1001, 1002]);
    expect(await read('ann c', [[5]])).toMatchObject({ missing: [1001, 1002] });
    shown.set('c', [5]);
    expect(await read('ben d', [[1001, 1002]])).toMatchObject({ shared: 'c' });
  });

  it('a history without any of the archived jobs makes one doubtful that comes with them later', async () => {
    await read('ann a', [[3]]);
    shown.set('a', [3]);
    expect(await read('ben b', [[2]])).toMatchObject({ shared: 'a' });
  });

  it('a history without any of the archived jobs is in doubt where it is archived under another spelling of its user', async () => {
    expect(await read('ANN a', [[3]])).toMatchObject({ missing: [1, 2] });
    expect(await read('ANN a', [[1]])).toMatchObject({ missing: undefined });
    expect(await read('cid a', [[3]])).toMatchObject({ missing: undefined });
  });

  it('a history without any of the archived jobs stays in doubt until one of those comes that were missing first, also where it is not read to its end', async () => {
    await has('ann', 'a', [3], { gaps: [missing(1, 2)] });
    expect(await read('ann a', [[3]])).toMatchObject({ missing: [1, 2] });
    expect(await read('ann a', [[3]], { gap: new PagingError('cut') })).toMatchObject({
      missing: [1, 2],
    });
    expect(await read('ann a', [[2, 3]])).toMatchObject({ missing: undefined, own: [2, 3] });
  });

  it('a history without any of the archived jobs is in doubt where none of those comes that are its own, of all that are archived', async () => {
    await has('ann', 'a', [3], { own_jobs: [asJobId(id(1))] });
    expect(await read('ann a', [[3]])).toMatchObject({ missing: [1] });
    expect(await read('ann a', [[1]])).toMatchObject({ missing: undefined });
    expect(await read('ann a', [[3]], { gap: new PagingError('cut') })).toMatchObject({
      missing: undefined,
    });
  });

  it('a history without any of the archived jobs is in doubt for those alone that the session has not which shares its jobs', async () => {
    await has('ben', 'b', [1]);
    await has('ann', 'a', [3], { gaps: [sharedWith('b')] });
    shown.set('b', [1]);
    expect(await read('ann a', [[9]])).toMatchObject({ missing: [3, 2] });
    await has('ben', 'b', [2, 3]);
    expect(await read('ann a', [[9]])).toMatchObject({ missing: undefined });
  });

  it.each<[readonly number[], readonly number[] | undefined]>([
    [[], [1, 2]],
    [[1], [2]],
    [[1, 2], undefined],
  ])(
    'a history without any of the archived jobs is in doubt beside suspects for those that no other session of the run has rightly (others have %j)',
    async (others, lost) => {
      for (const other of others) await read(`ben b${other}`, [[other]]);
      shown.set('c', [9]);
      const suspects = [ref('cid', 'c')];
      expect(await read('ann a', [[3]], { suspects })).toMatchObject({ missing: lost });
    },
  );

  it('a history without any of the archived jobs is in doubt where it has none that another user has of it', async () => {
    const other = archived('a', { commit: 1 }, { jobs: new Map([[asJobId(id(5)), {} as never]]) });
    histories.readAgainBeside(ref('ann', 'a'), other.state);
    expect(await read('ann a', [[1]])).toMatchObject({ missing: [5] });
    expect(await read('ann a', [[1, 5]])).toMatchObject({ missing: undefined });
  });

  it('a history without any of the archived jobs is in doubt no more for what another user had first, where another job comes that he has by now', async () => {
    await has('ann', 'a', [], { gaps: [missing(5)] });
    const jobs = new Map(ids(5, 6).map((one) => [asJobId(one), {} as never]));
    histories.readAgainBeside(ref('ann', 'a'), archived('a', { commit: 1 }, { jobs }).state);
    expect(await read('ann a', [[6]])).toMatchObject({ missing: undefined });
    expect(await read('ann a', [[1]])).toMatchObject({ missing: [5, 6] });
  });
});

it('of a user with many spellings, all that have the session are looked for', async () => {
  await has('Bob', 'z', [9]);
  await has('bob', 'b', [5]);
  await has('BOB', 'y', [9]);
  expect(await read('bOb b', [[3]])).toMatchObject({ missing: [5] });
});

it('a history that comes with others the second time is in doubt for those that no other session has, unless it is known by what comes', async () => {
  await read('ann a', [[1]]);
  expect(await read('ann b', [[1, 7], [8]])).toMatchObject({ missing: [7], shared: undefined });
  await has('ann', 'c', [8]);
  await read('ann d', [[6]]);
  expect(await read('ann c', [[6, 7], [8]])).toMatchObject({ missing: undefined });
});

it('a history that comes with others the second time is in doubt for those that count where a part of them is left, though another session has all', async () => {
  await read('ann a', [[1001, 1002, 7]]);
  const told = await read('ann b', [
    [1001, 1002, 7],
    [1001, 9],
  ]);
  expect(told).toMatchObject({ missing: [1002] });
});

it('a history that comes with others the second time is in none where another session has just that history, though its ids count', async () => {
  await read('ann a', [[1001, 1002]]);
  expect(await read('ann b', [[1001, 1002], [9]])).toMatchObject({ missing: undefined });
});

it('a history that comes with others the second time is in none for those that come again, nor where it was not read to its end', async () => {
  await read('ann a', [[1]]);
  expect(await read('ann b', [[1, 7], [7]])).toMatchObject({ missing: undefined, own: [7] });
  await read('ann c', [[2]]);
  const gap = new PagingError('cut');
  expect(await read('ann d', [[2, 9], [5]], { gap })).toMatchObject({ missing: undefined });
});

describe('own history', () => {
  beforeEach(async () => {
    await has('ann', 'a', [1]);
    await has('ben', 'b', [1, 2], { gaps: [sharedWith('a')] });
  });

  it.each<[string, readonly number[] | Error, string | undefined, RegExp]>([
    ['is over where the other shows others now', [7], undefined, /^$/],
    ['stays where it shows the same', [1], 'a', /of the other$/],
    ['stays where it shows nothing', [], 'a', /of the other$/],
    ['stays where it cannot be read', new StaleAnswerError('from a cache'), 'a', /of the other$/],
    ['stays where it is gone, and says so', GONE, 'a', /session a is gone/],
  ])(
    'the doubt of an earlier run that two sessions share jobs %s',
    async (_what, now, shared, reason) => {
      shown.set('a', now);
      const told = await read('ben b', [[1, 2]]);
      expect([told.shared, told.sizes]).toEqual([shared, [undefined]]);
      expect(told.reason ?? '').toMatch(reason);
      expect(asked.length).toBeGreaterThan(0);
    },
  );

  it('the doubt of an earlier run that two sessions share jobs is over where both were read in this run, and no job came with both', async () => {
    await read('ann a', [[1]]);
    await read('ann a', [[7]]);
    shown.set('a', [1]);
    expect(await read('ben b', [[2]])).toMatchObject({ shared: undefined });
    expect(asked).toEqual([]);
    // it shows nothing of its own
    expect(await read('ben b', [[]])).toMatchObject({ shared: 'a' });
  });

  it('the doubt of an earlier run that two sessions share jobs stays where the other has lost one of these jobs, whatever it shows now', async () => {
    await has('ann', 'a', [], { gaps: [missing(1, 9)] });
    shown.set('a', [7]);
    const told = await read('ben b', [[1, 2]]);
    expect([told.shared, told.reason]).toEqual(['a', expect.stringMatching(/of the other$/)]);
    expect(await read('ben b', [[2]])).toMatchObject({ shared: undefined });
    shown.set('a', GONE);
    expect((await read('ben b', [[1, 2]])).reason).toMatch(/session a is gone/);
  });

  it('the doubt of an earlier run that two sessions share jobs is over where one of two users shows others of it, and stays where it is in no archive', async () => {
    await has('cid', 'a', [1]);
    shown.set('a', [7]);
    expect(await read('ben b', [[1, 2]])).toMatchObject({ shared: undefined });
    await has('ben', 'c', [3], { gaps: [sharedWith('nowhere')] });
    const told = await read('ben c', [[3]]);
    expect(told).toMatchObject({ shared: 'nowhere' });
    expect(told.reason).toMatch(/session nowhere is gone/);
  });
});

describe('own history', () => {
  const of = (jobs: number[], ...gaps: GapEntry[]) =>
    archived(
      'a',
      { commit: 1 },
      { gaps, jobs: new Map(ids(...jobs).map((one) => [asJobId(one), {} as never])) },
    ).state;

  it.each<[string, ReturnType<typeof of>, ReturnType<typeof of>, boolean]>([
    ['it misses jobs that the other has alone', of([1], missing(2, 3)), of([2, 3, 4]), true],
    ['it has one of them by now', of([1, 2], missing(2, 3)), of([2, 3]), false],
    ['the other has not all of them', of([1], missing(2, 3)), of([2]), false],
    ['it misses none', of([1]), of([2]), false],
    ['it shares jobs', of([1], sharedWith('b')), of([2]), false],
  ])(
    'whether a session is in doubt for what another user has of it %s',
    (_what, one, other, expected) => {
      expect(isInDoubtFor(one, other)).toBe(expected);
    },
  );
});

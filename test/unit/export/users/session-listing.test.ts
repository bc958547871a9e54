/** Whether a listing without any archived session is that of the archive's project, asked of a service made up here. */
import { beforeEach, expect, it } from 'vitest';
import { emptyState, type UserState } from '../../../../src/archive/state/user-state.js';
import { type RunSettings } from '../../../../src/export/export-run.js';
import { CircuitBreaker } from '../../../../src/export/circuit-breaker.js';
import { ProjectWitness, UnseenArchive } from '../../../../src/export/project-witness.js';
import { type SessionListing } from '../../../../src/export/users/session-listing.js';
import { checkedListing } from '../../../../src/export/users/checked-listing.js';
import { asSessionId, asUserId, type UserId } from '../../../../src/model/ids.js';
import { BudgetSpentError } from '../../../../src/service/pace/request-budget.js';
import { PageGrant } from '../../../../src/service/page.js';
import { type PageRange } from '../../../../src/service/page-range.js';
import {
  NotFoundError,
  PagingError,
  StaleAnswerError,
} from '../../../../src/service/service-errors.js';
import { errorFacts } from '../../../support/http/one-session.js';
import { ListingService } from '../../../support/http/listing-service.js';
import { archived } from '../../../support/store/archived-sessions.js';
import { fault } from '../../../support/base/fault.js';

type Run = Parameters<typeof checkedListing>[0];

/** Sessions by user: archived, and listed by the service. */
let archive: Map<string, UserState>;
let listed: Map<string, readonly string[] | Error>;
/** Of these the service lists fewer sessions than it says. */
let cut: Set<string>;
/** Sessions that the service has though it lists none, and what it says of others. */
let readable: Map<string, Error | undefined>;
/** What says that a session came from a cache. */
let stale: string | undefined;
let asked: string[];
let project: ProjectWitness;
let failures: CircuitBreaker;
beforeEach(() => {
  [archive, listed, cut, asked] = [new Map(), new Map(), new Set(), []];
  readable = new Map();
  stale = undefined;
  project = new ProjectWitness();
  failures = new CircuitBreaker();
});

function has(user: string, sessions: readonly string[], over: Parameters<typeof archived>[2] = {}) {
  const states = sessions.map((id) => [asSessionId(id), archived(id, { commit: 1 }, over).state]);
  const state = { ...emptyState(asUserId(user)), sessions: new Map(states as never) };
  archive.set(user, state as UserState);
}

const run = (settings: Partial<RunSettings> = {}, signal = new AbortController().signal): Run =>
  ({
    archive: {
      index: { users: [...archive.keys()].map(asUserId) },
      states: { load: (user: UserId) => Promise.resolve(archive.get(user)) },
    },
    service: {
      listSessions: ({ userId, ...range }: PageRange & { userId: string }) => {
        asked.push(userId);
        const sessions = listed.get(userId) ?? [];
        if (sessions instanceof Error) return Promise.reject(sessions);
        const order = { order: 'newest', maxPageSize: 100, totals: 'right' } as const;
        const page = new ListingService(sessions, order).page(range);
        return Promise.resolve(cut.has(userId) ? { ...page, totalItems: 9 } : page);
      },
      getSession: ({ sessionId }: { sessionId: string }) => {
        const gone = new NotFoundError('no such session', errorFacts);
        const answer = readable.has(sessionId) ? readable.get(sessionId) : gone;
        if (answer) return Promise.reject(answer);
        return Promise.resolve({ value: { id: sessionId }, served: { stale } });
      },
    },
    grants: { sessions: new PageGrant(100), history: new PageGrant(100) },
    settings: { sessions: [], search: undefined, ...settings },
    failures,
    project,
    signal,
  }) as unknown as Run;

const listing = (ids: readonly string[], gap?: Error): SessionListing => ({
  sessions: ids.map((id) => ({ value: { id } })) as unknown as SessionListing['sessions'],
  totalItems: ids.length,
  missing: [],
  gone: [],
  gap,
});

/** What comes of a listing of ann with these sessions: its gap. */
async function gapOf(ids: readonly string[], of = run()): Promise<Error | undefined> {
  return (await checkedListing(of, archive.get('ann')!, listing(ids))).gap;
}

/** Which archived sessions are gone where ann lists these. */
async function goneWhere(ids: readonly string[]): Promise<readonly string[]> {
  return (await checkedListing(run(), archive.get('ann')!, listing(ids))).gone;
}

it('with one of the archived sessions shows the project, and nobody else is asked for', async () => {
  has('ann', ['a1', 'a2']);
  has('bob', ['b1']);
  expect(await gapOf(['a2', 'new'])).toBeUndefined();
  expect([project.hasSeen, asked]).toEqual([true, []]);
  expect(await gapOf([])).toBeUndefined();
  expect(asked).toEqual([]);
});

it('with no archived session is a gap where nobody else has any, and says of how many', async () => {
  has('ann', ['a1', 'a2']);
  expect(await gapOf(['new'])).toBeInstanceOf(UnseenArchive);
  expect((await gapOf([]))?.message).toBe(
    'the service does not list any of the 2 archived sessions of this user, nor of anybody else who was asked for: the API key may be that of another project; if they were deleted there, pass --allow-unknown-users',
  );
  has('ann', ['a1']);
  expect((await gapOf([]))?.message).toContain('not list the archived session of this user');
  expect(project.hasSeen).toBe(false);
});

it('a listing is no gap where no session is expected: none, or gone or deleted', async () => {
  for (const [ids, over] of [
    [[], {}],
    [['a1'], { goneAt: '2026-11-01T00:00:00.000Z' }],
    [['a1'], { deleted: true }],
  ] as const) {
    has('ann', ids, over);
    expect(await gapOf([])).toBeUndefined();
  }
  expect(project.hasSeen).toBe(false);
});

it('a listing is none where that is allowed, or where only some sessions were asked for', async () => {
  has('ann', ['a1']);
  for (const settings of [{ allowUnlisted: true }, { search: 'x' }, { sessions: ['a9'] }]) {
    expect(await gapOf([], run(settings))).toBeUndefined();
  }
  expect(await gapOf([], run({ allowUnlisted: false }))).toBeInstanceOf(UnseenArchive);
  // nobody else is asked for a witness that nobody needs
  has('bob', ['b1']);
  listed.set('bob', ['b1']);
  asked = [];
  expect(await gapOf([], run({ allowUnlisted: true }))).toBeUndefined();
  expect(asked).toEqual([]);
  project.seen();
  readable.set('a1', undefined);
  expect(await gapOf([], run({ allowUnlisted: true }))).toBeInstanceOf(UnseenArchive);
});

it('a listing that is not complete is judged by nobody, and shows nothing', async () => {
  has('ann', ['a1']);
  const incomplete = listing(['a1'], new PagingError('cut'));
  expect(await checkedListing(run(), archive.get('ann')!, incomplete)).toBe(incomplete);
  expect(project.hasSeen).toBe(false);
});

it('an asked session witnesses an empty list: where one is there, none is gone', async () => {
  has('ann', ['a1', 'a2']);
  project.seen();
  expect(await goneWhere([])).toEqual(['a2', 'a1']);
  readable.set('a1', undefined);
  expect((await gapOf([]))?.message).toBe(
    'the service does not list any of the 2 archived sessions of this user, and yet session a1 can be read',
  );
  expect(await goneWhere([])).toEqual([]);
});

it(
  'an asked session witnesses a list that lacks some: each of them is asked for',
  fault('F-114'),
  async () => {
    has('ann', ['a1', 'a2', 'a3', 'a4']);
    expect(await goneWhere(['a2', 'new'])).toEqual(['a4', 'a3', 'a1']);
    readable.set('a2', undefined);
    expect(await goneWhere(['a2'])).toEqual(['a4', 'a3', 'a1']);
    readable.set('a1', undefined);
    expect((await gapOf(['a2']))?.message).toBe(
      'the service does not list 3 of the 4 archived sessions of this user, and yet session a1 can be read',
    );
    expect(await goneWhere(['a2'])).toEqual([]);
    expect(await goneWhere(['a1', 'a2', 'a3', 'a4'])).toEqual([]);
  },
);

it(
  'an asked session is gone only if it was asked for: a budget leaves older ones for later',
  fault('F-114'),
  async () => {
    const ids = Array.from({ length: 30 }, (_, n) => `a${n}`);
    has('ann', ids);
    expect(await goneWhere(['a0'])).toEqual(ids.slice(1).reverse());
    readable.set('a9', new BudgetSpentError('spent'));
    expect(await goneWhere(['a0'])).toEqual(ids.slice(10).reverse());
    readable.set('a29', new BudgetSpentError('spent'));
    await expect(goneWhere(['a0'])).rejects.toBeInstanceOf(BudgetSpentError);
  },
);

it('an asked session is not gone unless said so: a failure is a gap, a cache no proof', async () => {
  has('ann', ['a1']);
  project.seen();
  readable.set('a1', new StaleAnswerError('Age: 12'));
  expect((await gapOf([]))?.message).toBe(
    'the service does not list the archived session of this user, and yet it is not known whether session a1 is gone: Age: 12',
  );
  const cached = new NotFoundError('no such session', { ...errorFacts, stale: 'Age: 12' });
  readable.set('a1', cached);
  expect((await gapOf([]))?.message).toContain('not known whether session a1 is gone');
  readable.set('a1', undefined);
  stale = 'Age: 12';
  expect((await gapOf([]))?.message).toBe(
    'the service does not list the archived session of this user, and yet it is not known whether session a1 is gone: a cache answered for session a1 from its memory (Age: 12), also when asked again: this proves nothing',
  );
});

it('an asked session ends the run where the budget is spent, or where it is stopped', async () => {
  has('ann', ['a1']);
  project.seen();
  const spent = new BudgetSpentError('spent');
  readable.set('a1', spent);
  await expect(gapOf([])).rejects.toBe(spent);
  const failure = new Error('stopped');
  readable.set('a1', failure);
  await expect(gapOf([], run({}, AbortSignal.abort()))).rejects.toBe(failure);
});

it('another user who lists an archived session shows the project, for the rest of the run', async () => {
  has('ann', ['a1']);
  has('bob', ['b1', 'b2']);
  has('cid', ['c1']);
  listed.set('bob', ['b2']);
  expect(await gapOf([])).toBeUndefined();
  expect([project.hasSeen, asked]).toEqual([true, ['bob']]);
  listed.set('bob', []);
  expect(await gapOf([])).toBeUndefined();
  expect(asked).toEqual(['bob']);
});

it('with other sessions shows nothing; nor does ann, who is not asked for again', async () => {
  has('ann', ['a1']);
  has('bob', ['b1']);
  listed.set('ann', ['a1']).set('bob', ['new']);
  expect(await gapOf([])).toBeInstanceOf(UnseenArchive);
  expect(asked).toEqual(['bob']);
  // asked once in a run
  expect(await gapOf([])).toBeInstanceOf(UnseenArchive);
  expect(asked).toEqual(['bob']);
});

it('another user is not asked for without an archived session, and 20 at most who show none', async () => {
  has('ann', ['a1']);
  for (let n = 0; n < 25; n++) has(`none${n}`, []);
  for (let n = 0; n < 25; n++) has(`user${n}`, ['s']);
  expect(await gapOf([])).toBeInstanceOf(UnseenArchive);
  expect(asked).toEqual(Array.from({ length: 20 }, (_, n) => `user${n}`));
});

it('another user whose listing is not complete shows nothing', async () => {
  has('ann', ['a1']);
  has('bob', ['b1']);
  listed.set('bob', ['b1']);
  cut.add('bob');
  expect(await gapOf([])).toBeInstanceOf(UnseenArchive);
});

it('another user is passed over where the listing fails', async () => {
  has('ann', ['a1']);
  has('bob', ['b1']);
  has('cid', ['c1']);
  listed.set('bob', new StaleAnswerError('from a cache'));
  listed.set('cid', ['c1']);
  expect(await gapOf([])).toBeUndefined();
  expect(asked).toEqual(['bob', 'cid']);
});

it('ends the run where its failure does, where the budget is spent, or where it is stopped', async () => {
  has('ann', ['a1']);
  has('bob', ['b1']);
  const stopped = new StaleAnswerError('from a cache');
  for (const error of [new Error('a bug'), new BudgetSpentError('spent'), stopped]) {
    project = new ProjectWitness();
    listed.set('bob', error);
    const signal = error === stopped ? AbortSignal.abort() : new AbortController().signal;
    await expect(gapOf([], run({}, signal))).rejects.toBe(error);
  }
});

it('another user need not show the project where a user of the run has shown it meanwhile', async () => {
  has('ann', ['a1']);
  has('bob', ['b1']);
  has('cid', ['c1']);
  const of = run();
  const listSessions = of.service.listSessions.bind(of.service);
  of.service.listSessions = (range) => {
    project.seen();
    return listSessions(range);
  };
  expect(await gapOf([], of)).toBeUndefined();
  expect(asked).toEqual(['bob']);
});

/** Whether archived sessions that a listing lacks are gone, asked of a service made up here. */
import { beforeEach, expect, it } from 'vitest';
import { emptyState, type UserState } from '../../../../src/archive/state/user-state.js';
import { type RunSettings } from '../../../../src/export/export-run.js';
import { type SessionListing } from '../../../../src/export/users/session-listing.js';
import { checkedListing, UnseenArchive } from '../../../../src/export/users/checked-listing.js';
import { asSessionId, asUserId } from '../../../../src/model/ids.js';
import { BudgetSpentError } from '../../../../src/service/pace/request-budget.js';
import {
  NotFoundError,
  PagingError,
  StaleAnswerError,
} from '../../../../src/service/service-errors.js';
import { errorFacts } from '../../../support/http/one-session.js';
import { archived } from '../../../support/store/archived-sessions.js';
import { fault } from '../../../support/base/fault.js';

type Run = Parameters<typeof checkedListing>[0];

/** Archived sessions by user. */
let archive: Map<string, UserState>;
/** Sessions that the service has though it lists none, and what it says of others. */
let readable: Map<string, Error | undefined>;
/** What says that a session came from a cache. */
let stale: string | undefined;
beforeEach(() => {
  archive = new Map();
  readable = new Map();
  stale = undefined;
});

function has(user: string, sessions: readonly string[], over: Parameters<typeof archived>[2] = {}) {
  const states = sessions.map((id) => [asSessionId(id), archived(id, { commit: 1 }, over).state]);
  const state = { ...emptyState(asUserId(user)), sessions: new Map(states as never) };
  archive.set(user, state as UserState);
}

const run = (
  settings: Partial<RunSettings> = {},
  signal = new AbortController().signal,
  isOfProject = true,
): Run =>
  ({
    service: {
      getSession: ({ sessionId }: { sessionId: string }) => {
        const gone = new NotFoundError('no such session', errorFacts);
        const answer = readable.has(sessionId) ? readable.get(sessionId) : gone;
        if (answer) return Promise.reject(answer);
        return Promise.resolve({ value: { id: sessionId }, served: { stale } });
      },
    },
    settings: { sessions: [], search: undefined, ...settings },
    isOfProject,
    openDeletions: { now: () => Promise.resolve(new Map()) },
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

it('with no archived session is a gap where nothing shows the project, and says of how many', async () => {
  has('ann', ['a1', 'a2']);
  const unknown = run({}, undefined, false);
  expect(await gapOf(['new'], unknown)).toBeInstanceOf(UnseenArchive);
  expect((await gapOf([], unknown))?.message).toBe(
    'the service does not list any of the 2 archived sessions of this user, and no list could be had that shows whether the API key is that of another project',
  );
  expect(await gapOf(['a2'], unknown)).toBeUndefined();
  has('ann', ['a1']);
  expect((await gapOf([], unknown))?.message).toContain(
    'not list the archived session of this user',
  );
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
});

it('a listing is none where only some sessions were asked for', async () => {
  has('ann', ['a1']);
  for (const settings of [{ search: 'x' }, { sessions: ['a9'] }]) {
    expect(await gapOf([], run(settings, undefined, false))).toBeUndefined();
  }
});

it('a listing that is not complete is judged by nobody, and shows nothing', async () => {
  has('ann', ['a1']);
  const incomplete = listing(['a1'], new PagingError('cut'));
  expect(await checkedListing(run(), archive.get('ann')!, incomplete)).toBe(incomplete);
});

it('an asked session witnesses an empty list: where one is there, none is gone', async () => {
  has('ann', ['a1', 'a2']);
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
  const spent = new BudgetSpentError('spent');
  readable.set('a1', spent);
  await expect(gapOf([])).rejects.toBe(spent);
  const failure = new Error('stopped');
  readable.set('a1', failure);
  await expect(gapOf([], run({}, AbortSignal.abort()))).rejects.toBe(failure);
});

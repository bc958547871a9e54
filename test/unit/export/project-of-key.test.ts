/** Whether an API key is one of the archive's project, asked of a service made up here. */
import { beforeEach, expect, it } from 'vitest';
import { emptyState, type UserState } from '../../../src/archive/state/user-state.js';
import {
  isOfProject,
  OtherProjectError,
  projectOfKey,
  type ProjectCheck,
} from '../../../src/export/project-of-key.js';
import { asSessionId, asUserId, type UserId } from '../../../src/model/ids.js';
import { BudgetSpentError } from '../../../src/service/pace/request-budget.js';
import { type PageRange } from '../../../src/service/page-range.js';
import { NotFoundError, UnreachableError } from '../../../src/service/service-errors.js';
import { errorFacts } from '../../support/http/one-session.js';
import { ListingService } from '../../support/http/listing-service.js';
import { archived } from '../../support/store/archived-sessions.js';

/** Sessions by user: archived, and listed by the service. */
let archive: Map<string, { readonly state: UserState; readonly commit: number }>;
let listed: Map<string, readonly string[] | Error>;
/** Of these the service lists fewer sessions than it says. */
let cut: Set<string>;
let stale: Set<string>;
let suppressed: Set<string>;
let asked: string[];
beforeEach(() => {
  [archive, listed, asked] = [new Map(), new Map(), []];
  [cut, stale, suppressed] = [new Set(), new Set(), new Set()];
});

interface Over extends NonNullable<Parameters<typeof archived>[2]> {
  /** The commit that listed the user last. */
  readonly commit?: number;
}

function has(user: string, sessions: readonly string[], { commit = 1, ...over }: Over = {}) {
  const states = sessions.map((id) => [asSessionId(id), archived(id, { commit: 1 }, over).state]);
  const state = {
    ...emptyState(asUserId(user)),
    sessions: new Map(states as never) as UserState['sessions'],
  };
  archive.set(user, { state, commit });
}

const check = (signal = new AbortController().signal): ProjectCheck =>
  ({
    archive: {
      index: {
        listings: () => Promise.resolve(listings()),
        suppressions: { ofUser: (user: UserId) => (suppressed.has(user) ? {} : undefined) },
      },
      states: { load: (user: UserId) => Promise.resolve(archive.get(user)?.state) },
    },
    service: {
      listSessions: ({ userId, ...range }: PageRange & { userId: string }) => {
        if (asked.at(-1) !== userId) asked.push(userId);
        const sessions = listed.get(userId) ?? [];
        if (sessions instanceof Error) return Promise.reject(sessions);
        const order = { order: 'newest', maxPageSize: 100, totals: 'right' } as const;
        const page = new ListingService(sessions, order).page(range);
        const served = stale.has(userId) ? { ...page.served, stale: 'Age: 9' } : page.served;
        return Promise.resolve({ ...page, served, ...(cut.has(userId) && { totalItems: 9 }) });
      },
    },
    pageSize: 100,
    signal,
  }) as unknown as ProjectCheck;

function listings() {
  return new Map([...archive].map(([user, { commit }]) => [asUserId(user), { last: { commit } }]));
}

const asks = () => projectOfKey(check());

it('one archived conversation in a list is enough; who was listed last is asked for first', async () => {
  has('ann', ['a1'], { commit: 3 });
  has('bob', ['b1', 'b2'], { commit: 5 });
  listed.set('ann', ['a1']).set('bob', ['b2', 'new']);
  expect(await asks()).toBe('shown');
  expect(asked).toEqual(['bob']);
  listed.set('bob', ['new']);
  expect(await asks()).toBe('shown');
  expect(asked).toEqual(['bob', 'ann']);
});

it('no listing with any is another project, and the sentence counts what is archived of whom', async () => {
  has('ann', ['a1', 'a2']);
  has('bob', ['b1']);
  listed.set('bob', ['new']);
  await expect(asks()).rejects.toThrow(
    new OtherProjectError(
      'the service lists none of the 3 archived conversations of 2 users: is this the API key of another project?',
    ),
  );
  has('ann', []);
  await expect(asks()).rejects.toThrow(
    'the service does not list the one archived conversation of 1 user: is this the API key of another project?',
  );
});

it('nobody is asked for what was deleted or found gone, nor is who may not be read', async () => {
  has('ann', []);
  has('bob', ['b1'], { goneAt: '2026-11-01T00:00:00.000Z' });
  has('cid', ['c1'], { deleted: true });
  has('dee', ['d1']);
  suppressed.add('dee');
  expect(await asks()).toBe('nothing-to-show');
  expect(asked).toEqual([]);
});

it('ten users are asked for at most', async () => {
  for (let n = 0; n < 15; n++) has(`user${n}`, ['s']);
  await expect(asks()).rejects.toThrow(/none of the 10 .* of 10 users/);
  expect(asked).toEqual(Array.from({ length: 10 }, (_, n) => `user${n}`));
});

it('a listing that fails, comes from a cache or is not whole shows nothing, either way', async () => {
  has('ann', ['a1']);
  has('bob', ['b1']);
  has('cid', ['c1']);
  listed.set('ann', new NotFoundError('no such user', errorFacts)).set('bob', ['b1']);
  stale.add('bob');
  cut.add('cid');
  expect(await asks()).toBe('unknown');
  expect(asked).toEqual(['ann', 'bob', 'cid']);
  expect(await isOfProject(check())).toBe(false);
  cut.clear();
  await expect(asks()).rejects.toThrow(/one archived conversation of 1 user/);
  listed.set('cid', ['c1']);
  expect(await asks()).toBe('shown');
});

it('a spent budget tells nothing; a second user without an answer ends the run', async () => {
  has('ann', ['a1']);
  has('bob', ['b1']);
  listed.set('ann', new BudgetSpentError('spent'));
  expect(await asks()).toBe('unknown');
  const silence = new UnreachableError('no answer', { ...errorFacts, mayHaveHappened: false });
  listed.set('ann', silence).set('bob', ['b1']);
  expect(await asks()).toBe('shown');
  listed.set('bob', silence);
  await expect(asks()).rejects.toBe(silence);
  const bug = new Error('a bug');
  listed.set('ann', bug);
  await expect(asks()).rejects.toBe(bug);
  const stopped = new NotFoundError('no such user', errorFacts);
  listed.set('ann', stopped);
  await expect(projectOfKey(check(AbortSignal.abort()))).rejects.toBe(stopped);
});

it('a run asks nobody where others are allowed, and says that it has archived nothing', async () => {
  has('ann', ['a1']);
  expect(await isOfProject({ ...check(), allowOtherConversations: true })).toBe(true);
  expect(asked).toEqual([]);
  await expect(isOfProject(check())).rejects.toThrow(/of another project\? Nothing was archived$/);
  listed.set('ann', ['a1']);
  expect(await isOfProject(check())).toBe(true);
});

import { describe, expect, it } from 'vitest';
import type {
  Commit,
  HoldEntry,
  RequestEntry,
  UserEntry,
} from '../../../../src/archive/log/commit.js';
import { asSessionId, asUserId } from '../../../../src/model/ids.js';
import { redactCommit } from '../../../../src/archive/erasing/redact-commit.js';
import { ErasureTarget } from '../../../../src/archive/erasing/erasure-target.js';
import {
  deletionEntry,
  draft,
  makeArchive,
  NO_JOB,
  session,
  userEntry,
} from '../../../support/store/archive-samples.js';
import { createMemoryStorage } from '../../../support/store/memory-storage.js';

const hold = (over: Partial<HoldEntry>): HoldEntry =>
  ({
    action: 'set',
    id: '01J00000000000000000000000',
    user: asUserId('ben'),
    session: null,
    reason: 'Matter 7',
    by: 'legal',
    ...over,
  }) as HoldEntry;

const sealed = await (await makeArchive(createMemoryStorage())).log.append(draft());

function commit(over: Partial<Commit> = {}): Commit {
  return { ...sealed, scope: {}, ...over };
}

/** What changes in a commit, and whom its users manifest lists. */
type Changes = Partial<Commit> & { readonly listed?: readonly UserEntry[] };

/** Ann, and the sessions that the log tells of her. */
function redacted({ listed = [], ...over }: Changes, users = ['ann'], sessions: string[] = []) {
  const target = new ErasureTarget({ users, sessions });
  const whole = commit(over);
  target.learn(whole);
  target.learnOwners(new Map());
  const listsErased = listed.some(({ user }) => target.hasUser(user));
  return redactCommit(whole, { target }, listsErased);
}

it.each<[string, Changes]>([
  ['is left as it is', {}],
  [
    'of others, too',
    {
      sessions: [session('ben', 'b1')],
      listed: [userEntry('ben')],
      scope: { sessions: ['b1'], users: 2, search: 'sales of bob' },
      holds: [hold({})],
    },
  ],
])('a commit that names nobody who is erased %s', (_, over) => {
  expect(redacted(over)).toBeUndefined();
});

it('a redacted commit has its entries of others', () => {
  const left = redacted({
    sessions: [session('ann', 'a1'), session('ben', 'b1')],
    listed: [userEntry('ann'), userEntry('ben')],
    tool: 'jobvault x',
  });
  expect(left).toMatchObject({ sessions: [{ user: 'ben' }] });
  expect(left?.tool).toBe('jobvault x');
});

it.each<[string, Partial<Commit>]>([
  ['sessions', { sessions: [session('ann', 'a1')] }],
  ['deletions', { deletions: [deletionEntry('ann', 'a1')] }],
])('a redacted commit has no %s of theirs', (field, over) => {
  const left = redacted(over);
  expect(left?.[field as keyof Commit]).toEqual([]);
});

it('a redacted commit is made for a commit that only lists them', () => {
  expect(redacted({ listed: [userEntry('ann'), userEntry('ben')] })).toBeDefined();
});

it('a redacted commit of one session has the other entries of its user', () => {
  const left = redacted(
    { sessions: [session('ann', 'a1'), session('ann', 'a2')], listed: [userEntry('ann')] },
    [],
    ['a1'],
  );
  expect(left).toMatchObject({ sessions: [{ session: 'a2' }] });
});

it('the scope of a commit names nobody who is erased, and is never widened to everybody', () => {
  const left = redacted({
    sessions: [session('ann', 'a1')],
    scope: { sessions: ['a1'], users: ['ann', 'ben'], user: 'ann', keep: 3, full: false },
  });
  expect(left?.scope).toEqual({
    sessions: ['[erased]'],
    users: ['ben', '[erased]'],
    user: '[erased]',
    keep: 3,
    full: false,
  });
});

it('the scope of a commit that named them may be all that a commit has of them', () => {
  expect(redacted({ scope: { sessions: [['ann']] } })?.scope).toEqual({
    sessions: [['[erased]']],
  });
  expect(redacted({ scope: { user: 'annabel', sessions: ['annabel'] } })).toBeUndefined();
});

it.each([
  ['that found them', { sessions: [session('ann', 'a1')] }, 'salary'],
  ['that names them', {}, 'salary of ann'],
])('the scope of a commit loses a search %s', (_, over, search) => {
  expect(redacted({ ...over, scope: { search } })?.scope).toEqual({ search: '[erased]' });
});

it('the scope of a commit keeps that nothing was searched', () => {
  const left = redacted({ sessions: [session('ann', 'a1')], scope: { search: null } });
  expect(left?.scope).toEqual({ search: null });
});

it.each([
  ['reason', 'Matter of ann'],
  ['by', 'ann at legal'],
])('holds and receipts of others lose a %s that names them, and stay in force', (field, text) => {
  const other = hold({ id: '01J00000000000000000000001' });
  const left = redacted({ holds: [hold({ [field]: text }), other] });
  expect(left?.holds).toEqual([hold({ [field]: '[erased]' }), other]);
});

it('holds and receipts on them stay, and name nobody, in whatever spelling', () => {
  const target = new ErasureTarget({ users: ['ann'], sessions: [] });
  const record = {
    id: 'h1',
    user: asUserId(' ann'),
    session: null,
    reason: 'x',
    by: 'y',
    request: null,
  };
  const since = '2026-11-05T12:00:00.000Z';
  target.learnHolds(
    [
      { ...record, since, commit: 3, release: { at: since, by: 'y', reason: 'z', commit: 5 } },
      { ...record, id: 'h2', user: asUserId('ben'), since, commit: 4, release: null },
    ],
    [],
  );
  const set = { id: 'h1', user: asUserId(' ann'), reason: 'of an ann', by: 'the lawyer' };
  const ended = { action: 'release' as const, id: 'h1', reason: 'told  ann', by: 'y' };
  const holds = [hold(set), ended, hold({ id: 'h2' })];
  const left = redactCommit(commit({ holds }), { target }, false);
  expect(left?.holds).toEqual([
    hold({ ...set, user: asUserId('[erased]'), reason: '[erased]' }),
    { ...ended, reason: '[erased]' },
    holds[2],
  ]);
});

it.each([
  ['goes with them where the log has no such user', [], true],
  ['stays where the log has a user of exactly that id', ['Ann', 'ann'], false],
])('holds and receipts on another spelling of them %s', (_what, known, goes) => {
  const target = new ErasureTarget({ users: ['Ann'], sessions: [] });
  const since = '2026-11-05T12:00:00.000Z';
  const release = { at: since, by: 'y', reason: 'z', commit: 5 };
  const set = { id: 'h1', session: null, reason: 'x', by: 'y', request: null, since, commit: 3 };
  const record = { ...set, release };
  target.learnHolds([{ ...record, user: asUserId('ann') }], known);
  expect(target.hasHold(hold({ id: 'h1' }))).toBe(goes);
});

it('holds and receipts of an earlier erasure lose a reason or a person that names them', () => {
  const begun = { stage: 'begun', reason: 'asked by ann' } as Commit['erasure'];
  expect(redacted({ erasure: begun })?.erasure).toEqual({ stage: 'begun', reason: '[erased]' });
  const done = { stage: 'begun', reason: null, by: 'her friend ann' } as Commit['erasure'];
  expect(redacted({ erasure: done })?.erasure).toEqual({ ...done, by: '[erased]' });
  for (const reason of ['asked by mail', null]) {
    const erasure = { stage: 'begun', reason } as Commit['erasure'];
    expect(redacted({ erasure })).toBeUndefined();
    expect(redacted({ erasure, listed: [userEntry('ann')] })?.erasure).toBe(erasure);
  }
});

// I-63 in FORMAT.md
describe('redact commit', () => {
  const request = { action: 'new', id: '01J00000000000000000000009', name: 'Matter 7' } as const;
  const asked = {
    ...request,
    reason: 'Art. 15',
    by: 'Grace',
    users: ['ann', 'ben'].map(asUserId),
    sessions: [],
    match: 'budget of ada',
    in: null,
    from: '2026-01',
    to: null,
  };
  const counts = {
    ...{ commit: 1, total: 2, searched: 2, matches: 1, withheld: 0, caveats: [] },
  };
  const search = { ...asked, action: 'search', by: 'Dana', ...counts } as unknown as RequestEntry;
  const close = { action: 'close', id: request.id, reason: 'given to ann', by: 'Dana' } as const;

  it('requests about them stay, without them and the words; nobody stands in their stead', () => {
    const left = redacted({ requests: [asked, search, close] })?.requests;
    expect(left).toMatchObject([
      { name: 'Matter 7', reason: 'Art. 15', users: ['ben', '[erased]'], match: '[erased]' },
      { action: 'search', by: 'Dana', match: '[erased]', matches: 1 },
      { action: 'close', reason: '[erased]', by: 'Dana' },
    ]);
    const only = redacted({ requests: [{ ...asked, users: [asUserId('ann')] }] })?.requests;
    expect(only).toMatchObject([{ users: ['[erased]'] }]);
  });

  it('requests about them have no rows: no file of their commits is looked at', () => {
    const of = new ErasureTarget({ users: ['ann'], sessions: [] });
    of.learn(commit({ number: 9, requests: [asked] }));
    of.learnOwners(new Map());
    expect([of.commits.size, of.isRequestAbout(asked)]).toEqual([0, true]);
  });

  it('a request that names nothing but a session of theirs loses it, and its words', () => {
    const about = { ...asked, users: [], sessions: [asSessionId('a1')] };
    const left = redacted({ sessions: [session('ann', 'a1')], requests: [about, search] });
    expect(left?.requests).toMatchObject([
      { users: [], sessions: ['[erased]'], match: '[erased]' },
      { action: 'search', match: '[erased]' },
    ]);
  });

  it('requests about others lose only texts that name them', () => {
    const others = { ...asked, users: [asUserId('ben')] };
    expect(redacted({ requests: [others] })).toBeUndefined();
    const named = { ...others, name: 'Matter of ann' };
    expect(redacted({ requests: [named] })?.requests).toEqual([{ ...named, name: '[erased]' }]);
    const everybody = { ...asked, users: [], match: 'what ann said' };
    expect(redacted({ requests: [everybody] })?.requests).toEqual([
      { ...everybody, match: '[erased]' },
    ]);
  });
});

it("who is erased is learned from the log: a user's sessions, a session's users, the commits", () => {
  const target = new ErasureTarget({ users: ['ann'], sessions: ['b1'] });
  expect([target.isInLog, target.sessionCount]).toEqual([false, 0]);
  target.learn(commit({ number: 1, sessions: [session('cyd', 'c1')] }));
  target.learnOwners(new Map([[asUserId('cyd'), {}]]));
  expect([target.isInLog, target.commits.size]).toEqual([false, 0]);
  target.learn(commit({ number: 2, sessions: [session('ann', 'a1'), session('ben', 'b1')] }));
  target.learn(commit({ number: 3, sessions: [session('ann', 'a1')] }));
  expect([...target.commits]).toEqual([2, 3]);
  expect([...target.owners]).toEqual(['ann', 'ben']);
  expect([...target.ids].sort()).toEqual(['a1', 'ann', 'b1']);
  expect([[...target.foundUsers], [...target.foundSessions]]).toEqual([['ann'], ['b1']]);
  expect([...target.sessionKeys]).toEqual([
    { user: 'ann', session: 'a1' },
    { user: 'ben', session: 'b1' },
  ]);
  expect([target.isInLog, target.sessionCount]).toEqual([true, 2]);
});

it('who is erased is known to the log where it was only listed, and has no rows there', () => {
  const target = new ErasureTarget({ users: ['ann'], sessions: [] });
  target.learn(commit({ number: 4 }));
  target.learnOwners(new Map(['ben', 'ann'].map((user) => [asUserId(user), {}])));
  expect([[...target.owners], [...target.foundUsers], [...target.commits]]).toEqual([
    ['ann'],
    ['ann'],
    [],
  ]);
});

it('who is erased has states and leases where the log does not know of them, too', () => {
  const target = new ErasureTarget({ users: ['ann'], sessions: ['b1'] });
  target.learn(commit({ sessions: [session('ben', 'b1')] }));
  expect([...target.allOwners].sort()).toEqual(['ann', 'ben']);
});

it('who is erased is told from others by the whole id, in rows with U+FFFD for half a pair', () => {
  const target = new ErasureTarget({ users: ['ann\ud800'], sessions: ['s1'] });
  const has = (user: string, id: string) =>
    target.has({ user: asUserId(user), session: asSessionId(id) });
  expect([has('ann\ud800', 'x'), has('ann\ufffd', 'x'), has('x', 's1'), has('x', 's')]).toEqual([
    true,
    false,
    true,
    false,
  ]);
  expect([target.hasRow('ann\ufffd', 'x'), target.hasRow('ann', 'x')]).toEqual([true, false]);
  expect([target.hasRow('x', 's1'), target.hasRow(null, null)]).toEqual([true, false]);
  expect([target.hasUser('ann\ud800'), target.hasUser('s1')]).toEqual([true, false]);
});

it('who is erased has the holds on its sessions that are in the log', () => {
  const target = new ErasureTarget({ users: ['ann'], sessions: [] });
  target.learn(commit({ sessions: [session('ann', 'a1')] }));
  const since = '2026-11-05T12:00:00.000Z';
  const record = { reason: 'x', by: 'y', request: null, since, release: null };
  target.learnHolds(
    [
      { ...record, id: 'h1', user: null, session: asSessionId('a1'), commit: 8 },
      { ...record, id: 'h2', user: null, session: asSessionId('a2'), commit: 9 },
    ],
    [],
  );
  const held = ['h1', 'h2'].map((id) => target.hasHold(hold({ id })));
  expect(held).toEqual([true, false]);
});

it('who is erased has the holds that name it in any spelling, and its texts lose it', () => {
  const target = new ErasureTarget({ users: ['ann'], sessions: [] });
  const since = '2026-11-05T12:00:00.000Z';
  const record = { reason: 'x', by: 'y', request: null, since, release: null, session: null };
  const records = ['ann', 'ANN', 'ben'].map((user, at) => ({
    ...{ ...record, id: `h${at}`, commit: at + 1 },
    user: asUserId(user),
  }));
  target.learnHolds(records, ['ann', 'ben']);
  const held = records.map(({ id }) => target.hasHold(hold({ id })));
  expect(held).toEqual([true, true, false]);
  expect(records.map(({ id }) => [...target.idsFor(hold({ id }))])).toEqual([
    ['ann'],
    ['ann', 'ANN'],
    ['ann'],
  ]);
});

describe('redact commit', () => {
  const entry = (user: string, id: string, reason: string) => ({
    ...NO_JOB,
    ...{ status: 'failed', id: '01JD0000000000000000000000', by: 'Grace', reason },
    ...{ user: asUserId(user), session: asSessionId(id), action: 'accept' as const },
  });
  const target = () => {
    const of = new ErasureTarget({ users: ['ann'], sessions: [] });
    of.learn(commit({ sessions: [session('ann', 'a1')] }));
    return of;
  };

  it('accepted gaps of them go, and those of others stay without their names', () => {
    const accepted = [
      entry('ann', 'a1', 'x'),
      entry('ben', 'b1', 'as a1'),
      entry('ben', 'b2', 'gone'),
    ];
    const left = redactCommit(commit({ accepted }), { target: target() }, false);
    expect(left?.accepted).toEqual([{ ...accepted[1], reason: '[erased]' }, accepted[2]]);
  });

  it('accepted gaps of others alone change nothing', () => {
    const accepted = [entry('ben', 'b2', 'gone')];
    expect(redactCommit(commit({ accepted }), { target: target() }, false)).toBeUndefined();
  });
});

/** The one filter of reports, packs, workbooks and searches, along each of its dimensions. */
import { describe, expect, it } from 'vitest';
import { createOrOpenArchive } from '../../../../src/archive/open-archive.js';
import { ArchiveView } from '../../../../src/archive/reading/archive-view.js';
import { caveatsOf } from '../../../../src/archive/reading/caveats/caveat.js';
import { readScope } from '../../../../src/archive/reading/caveats/read-scope.js';
import type { ChosenJobs } from '../../../../src/archive/reading/chosen-jobs.js';
import { parsedScope, type GivenScope, type Scope } from '../../../../src/archive/reading/scope.js';
import { type Selection } from '../../../../src/archive/reading/selection.js';
import type { JobLine, SessionEntry, UserEntry } from '../../../../src/archive/log/commit.js';
import { UsageError } from '../../../../src/base/error.js';
import { rowId } from '../../../../src/model/ids.js';
import { findChosen } from '../../../../src/search/search-archive.js';
import { boundedJobs } from '../../../../src/search/bounded-jobs.js';
import * as samples from '../../../support/store/archive-samples.js';
import { caveatCounts, NOTHING_FOUND } from '../../../support/tables/caveat-counts.js';
import { createMemoryStorage } from '../../../support/store/memory-storage.js';
import { gapOf } from '../../../support/store/archive-samples.js';

interface Content {
  readonly sessions?: readonly SessionEntry[];
  readonly jobs?: readonly JobLine[];
  readonly users?: readonly UserEntry[];
}

async function archiveWith({ sessions = [], jobs = [], users = [] }: Content) {
  const archive = await createOrOpenArchive(createMemoryStorage(), samples.archiveSettings());
  await archive.log.append(samples.draft({ sessions, jobs, users }));
  return archive;
}

const { session, job, userEntry } = samples;

/** Ann has `a` with `j` and `k`, and `b` with `l`; Ben has `b`, too, with `m`; Cleo was listed and has nothing. */
const SMALL: Content = {
  sessions: [session('ann', 'a'), session('ann', 'b'), session('ben', 'b')],
  jobs: [
    job('ann', 'a', 'j', { index: 0 }),
    job('ann', 'a', 'k', { index: 1 }),
    job('ann', 'b', 'l'),
    job('ben', 'b', 'm'),
  ],
  users: [
    userEntry('ann', { listed: 2, total_items: 2 }),
    userEntry('ben'),
    userEntry('cleo', { listed: 0, total_items: 0 }),
  ],
};
const JOBS = ['ann a j', 'ann a k', 'ann b l', 'ben b m'];

/** As a search chooses them: words, or a period, or both. @param leftOut those that the period cannot judge */
function choose(jobs: readonly string[], leftOut: readonly string[] = []): ChosenJobs {
  const beginsWith = (...ids: string[]) => {
    const prefix = `${ids.map(rowId).join(' ')} `;
    return jobs.some((one) => `${one} `.startsWith(prefix));
  };
  return {
    hasUser: beginsWith,
    hasSession: beginsWith,
    hasJob: beginsWith,
    leftOutOf: (user) => leftOut.filter((one) => one.startsWith(`${user} `)).length,
  };
}

async function viewOf(content: Content, scope: Partial<Scope> = {}, chosen?: ChosenJobs) {
  const whole = { users: [], sessions: [], ...scope };
  return ArchiveView.of(await archiveWith(content), whole, { chosen });
}

function jobsIn(selection: Selection): string[] {
  return JOBS.filter((one) => {
    const [user_id = '', session_id = '', job_id = ''] = one.split(' ');
    const isIn = selection.hasJob(user_id, session_id, job_id);
    // a row is in scope where its job is, whatever the table
    expect(selection.hasRow({ user_id, session_id, job_id })).toBe(isIn);
    return isIn;
  });
}

it.each<[string, Partial<Scope>, readonly string[] | undefined, string[], string[]]>([
  ['nothing is named', {}, undefined, ['ann', 'ben', 'cleo'], JOBS],
  ['users are named', { users: ['ben', 'cleo'] }, undefined, ['ben', 'cleo'], ['ben b m']],
  ['a session is named', { sessions: ['a'] }, undefined, ['ann'], ['ann a j', 'ann a k']],
  ['two users have a session', { sessions: ['b'] }, undefined, ['ann', 'ben'], JOBS.slice(2)],
  [
    'a user and a session are named',
    { users: ['ben'], sessions: ['b'] },
    undefined,
    ['ben'],
    ['ben b m'],
  ],
  ['words choose', {}, ['ann a k', 'ben b m'], ['ann', 'ben'], ['ann a k', 'ben b m']],
  ['words choose nothing', {}, [], [], []],
  [
    'words choose nothing of a named user',
    { users: ['ann', 'ben'] },
    ['ben b m'],
    ['ann', 'ben'],
    ['ben b m'],
  ],
  ['words choose in a named session', { sessions: ['a'] }, ['ann a j'], ['ann'], ['ann a j']],
  [
    'words choose beside what is named',
    { users: ['ben'], sessions: ['b'] },
    JOBS,
    ['ben'],
    ['ben b m'],
  ],
])(
  'what is in scope is what its dimensions have in common where %s',
  async (_, scope, chosen, users, jobs) => {
    const { selection } = await viewOf(SMALL, scope, chosen && choose(chosen));
    expect(selection.users).toEqual(users);
    expect(jobsIn(selection)).toEqual(jobs);
    const sessions = new Set(jobs.map((one) => one.replace(/ \w+$/, '')));
    for (const key of ['ann a', 'ann b', 'ben b']) {
      const [user_id = '', session_id = ''] = key.split(' ');
      expect(selection.hasSession(user_id, session_id)).toBe(sessions.has(key));
      expect(selection.hasRow({ user_id, session_id, job_id: null })).toBe(sessions.has(key));
    }
    expect(['ann', 'ben', 'cleo', 'eve'].filter((user) => selection.hasUser(user))).toEqual(users);
  },
);

it('what is in scope is narrowed by sessions and words, and not by users, of whom all is there', async () => {
  const isNarrowed = async (scope: Partial<Scope>, chosen?: ChosenJobs) =>
    (await viewOf(SMALL, scope, chosen)).selection.isNarrowed;
  expect(await isNarrowed({})).toBe(false);
  expect(await isNarrowed({ users: ['ann'] })).toBe(false);
  expect(await isNarrowed({ sessions: ['a'] })).toBe(true);
  expect(await isNarrowed({}, choose(JOBS))).toBe(true);
});

it('what is in scope has no row without a user or a session', async () => {
  const { selection } = await viewOf(SMALL);
  expect(selection.hasRow({ user_id: 'ann' })).toBe(false);
  expect(selection.hasRow({ session_id: 'a', job_id: 'j' })).toBe(false);
});

it('a scope knows ids with half a character as the log has them, and as rows have them', async () => {
  const [user, id, of] = ['an\ud800n', 's\udc00', 'j\ud800'];
  const content = {
    sessions: [session(user, id), session('ben', 'b')],
    jobs: [job(user, id, of), job('ben', 'b', 'm')],
  };
  for (const spell of [(given: string) => given, rowId]) {
    const scope = { users: [spell(user)], sessions: [spell(id)] };
    const chosen = choose([[user, id, of].map(rowId).join(' ')]);
    const { selection } = await viewOf(content, scope, chosen);
    expect(selection.users).toEqual([user]);
    expect(selection.hasJob(user, id, of)).toBe(true);
    expect(selection.hasJob(rowId(user), rowId(id), rowId(of))).toBe(true);
    expect(selection.hasSession('ben', 'b')).toBe(false);
  }
});

it('what is in scope is refused where a user or a session is not in the archive', async () => {
  for (const scope of [
    { users: ['eve'] },
    { sessions: ['x'] },
    { users: ['ben'], sessions: ['a'] },
  ]) {
    await expect(viewOf(SMALL, scope)).rejects.toThrow(UsageError);
  }
});

it('what is in scope does not have what is appended after it was asked for', async () => {
  const archive = await archiveWith(SMALL);
  const view = await ArchiveView.of(archive);
  const more = { base: 1, checkpoint: 2, sessions: [session('ben', 'c')] };
  await archive.log.append(samples.draft(more));
  await archive.index.refresh();
  const seen = [];
  for await (const { user, sessions } of view.users()) seen.push([user, sessions.length]);
  expect([view.head?.number, seen]).toEqual([
    1,
    [
      ['ann', 2],
      ['ben', 1],
      ['cleo', 0],
    ],
  ]);
});

const AT = Date.UTC(2026, 9, 1);
const cuid = (ms: number): string => `c${ms.toString(36).padStart(8, '0')}${'x'.repeat(16)}`;
const micros = (ms: number): bigint => BigInt(ms) * 1000n;

describe('archive view', () => {
  const [first, last] = [cuid(AT), cuid(AT + 10)];
  /** `between` and `alone` have no time of their own; the neighbours of `between` have. */
  const dated: Content = {
    sessions: [session('ann', 'a'), session('ben', 'b')],
    jobs: [
      job('ann', 'a', first, { index: 0 }),
      job('ann', 'a', 'between', { index: 1 }),
      job('ann', 'a', last, { index: 2 }),
      job('ben', 'b', 'alone'),
    ],
  };
  const judged = async (scope: Partial<Scope>, period: { from?: bigint; to?: bigint }) => {
    const jobs = await boundedJobs(await viewOf(dated, scope), period);
    return jobs.map(({ user, job: id, verdict }) => `${user} ${id} ${verdict}`);
  };

  it('a period judges a job without a time by its neighbours, and leaves open the rest', async () => {
    expect(await judged({}, { to: micros(AT + 11) })).toEqual(['ann between within']);
    expect(await judged({}, { from: micros(AT + 11) })).toEqual(['ann between outside']);
    expect(await judged({}, { from: micros(AT + 5) })).toEqual([]);
    expect(await judged({}, {})).toEqual([]);
  });

  const jobsIn = async (given: GivenScope) => {
    const view = await viewOf(dated, parsedScope(given));
    const found: string[] = [];
    for await (const { user, sessions } of view.users()) {
      for (const { session: id, state } of sessions) {
        const own = [...state.jobs.keys()].filter((one) => view.selection.hasJob(user, id, one));
        found.push(...own.map((one) => `${user} ${id} ${one}`));
      }
    }
    return { found, view };
  };

  it('a period is part of a scope without a search: only jobs asked in it are there', async () => {
    const [before, early, late] = ['2026-09-30', '2026-10-01', '2026-10-01T00:00:00.010Z'];
    const all = [`ann a ${first}`, 'ann a between', `ann a ${last}`];
    expect((await jobsIn({ from: early, to: early })).found).toEqual(all);
    expect((await jobsIn({ to: late })).found).toEqual(all.slice(0, 1));
    expect((await jobsIn({ from: late })).found).toEqual(all.slice(2));
    expect((await jobsIn({ to: before })).found).toEqual([]);
    expect((await jobsIn({ users: ['ben'], from: early })).found).toEqual([]);
  });

  it('a period leaves out what nothing judges, or takes it in where that is said', async () => {
    const out = await jobsIn({ from: '2026-10-01' });
    expect(out.view.ofPeriod).toMatchObject({ within: 3, unknown: 1 });
    const left = { user: 'ben', session: 'b', job: 'alone', created_after: null };
    expect(out.view.ofPeriod?.jobs.leftOut).toMatchObject([left]);
    const excluded = await jobsIn({ from: '2026-10-01', undated: 'exclude' });
    expect(excluded.view.ofPeriod).toMatchObject({ unknown: 1, jobs: { leftOut: [left] } });
    expect(out.view.selection.chosen?.leftOutOf('ben')).toBe(1);
    const taken = await jobsIn({ from: '2026-10-01', undated: 'include' });
    expect(taken.found).toContain('ben b alone');
    expect(taken.view.ofPeriod?.jobs.isUndated('ben', 'b', 'alone')).toBe(true);
    expect(taken.view.ofPeriod?.jobs.isUndated('ann', 'a', first)).toBe(false);
  });

  it('a period without words is no search: what is made of it needs no row, and no DuckDB', async () => {
    const archive = await archiveWith(dated);
    const found = await findChosen({ archive, from: '2026-10-01' });
    expect(found).toMatchObject({ commit: 1, unverifiedBytes: 0, leftOut: [{ job: 'alone' }] });
    const counts = { searched: 3, matches: 3, time_unknown: 1, undated: null, searched_in: null };
    expect(found?.facts).toMatchObject({ total: 4, ...counts });
    expect(found?.sessionIds()).toEqual(['a']);
    expect(found?.matchedIn('ann', 'a', first)).toEqual([]);
    const all = await findChosen({ archive, from: '2026-10-01', undated: 'include' });
    expect(all?.facts).toMatchObject({ total: 4, searched: 4, matches: 4, time_unknown: 1 });
    expect(all?.leftOutOf('ben')).toBe(0);
    expect(await findChosen({ archive })).toBeUndefined();
  });

  it('a period is read in one place, and refused there in one sentence', () => {
    expect(parsedScope({})).toEqual({ users: [], sessions: [] });
    expect(parsedScope({ to: '2026-10' }).period).toEqual({ from: undefined, to: micros(Date.UTC(2026, 10, 1)) }); // prettier-ignore
    const relative = parsedScope({ from: 'last-month', to: 'last-month' }, Date.UTC(2026, 10, 7));
    expect(relative).toEqual(parsedScope({ from: '2026-10', to: '2026-10' }));
    for (const [given, why] of [
      [{ from: '2026-13' }, 'from is "2026-13"; allowed is a year'],
      [{ from: '2026-02', to: '2026-01' }, 'the period from 2026-02 to 2026-01 ends before'],
      [{ undated: 'include' }, '--undated is about jobs that a period cannot judge'],
    ] as const) {
      expect(() => parsedScope(given)).toThrow(why);
    }
  });

  it('a period judges only jobs in scope', async () => {
    const period = { to: micros(AT + 11) };
    expect(await judged({ users: ['ben'] }, period)).toEqual([]);
    expect(await judged({ sessions: ['b'] }, period)).toEqual([]);
    expect(await judged({ users: ['ann'], sessions: ['a'] }, period)).toHaveLength(1);
  });
});

const GAP = gapOf('j', { status: 'expired', reason: 'its URL expired' });

describe('archive view', () => {
  /** A gap of `j`; `b` of Ann was not read to its end; Ben's listing was not read whole, and the archive has one session less; Cleo is whole. */
  const holed: Content = {
    sessions: [
      session('ann', 'a', { gaps: [GAP] }),
      session('ann', 'b', { complete: false }),
      session('ben', 'b'),
      session('cleo', 'c'),
    ],
    jobs: [...(SMALL.jobs ?? []), job('cleo', 'c', 'n')],
    users: [
      userEntry('ann', { listed: 2, total_items: 2 }),
      userEntry('ben', { listed: 2, total_items: 2, complete: false }),
      userEntry('cleo'),
    ],
  };
  const told = async (scope: Partial<Scope>, chosen?: ChosenJobs) => {
    const users: string[] = [];
    const view = await viewOf(holed, scope, chosen);
    for await (const { user, gapCounts, isProven } of view.users()) {
      users.push(`${user} ${gapCounts.gaps} ${isProven ? 'proven' : 'in doubt'}`);
    }
    return users;
  };

  it("gaps and doubts are all of a user where nothing narrows the scope, the listing's too", async () => {
    expect(await told({})).toEqual(['ann 2 proven', 'ben 1 in doubt', 'cleo 0 proven']);
    expect(await told({ users: ['ben'] })).toEqual(['ben 1 in doubt']);
  });

  it('gaps and doubts in scope are those of the named sessions, which need no listing', async () => {
    expect(await told({ sessions: ['b'] })).toEqual(['ann 1 proven', 'ben 0 proven']);
    expect(await told({ users: ['ann'], sessions: ['a'] })).toEqual(['ann 1 proven']);
  });

  it('gaps of chosen jobs are theirs; a user with one anywhere in the scope is in doubt', async () => {
    expect(await told({}, choose(['ann a k', 'ben b m', 'cleo c n']))).toEqual([
      'ann 0 in doubt',
      'ben 0 in doubt',
      'cleo 0 proven',
    ]);
    expect(await told({ sessions: ['a'] }, choose(['ann a j']))).toEqual(['ann 1 in doubt']);
    expect(await told({ users: ['cleo'] }, choose([]))).toEqual(['cleo 0 proven']);
  });

  it('gaps and doubts in scope have no job that the period could not judge: it is left out', async () => {
    const chosen = choose(['cleo c n'], ['cleo c o', 'cleo c p', 'ann a j']);
    expect(await told({ users: ['cleo'] }, chosen)).toEqual(['cleo 0 proven']);
  });

  it('gaps and doubts in scope are counted for a search as far as it looks', async () => {
    const archive = await archiveWith(holed);
    const counts = async (users: string[], sessions: string[]) => {
      const { signal } = new AbortController();
      const reading = await readScope(archive, { users, sessions }, signal);
      return caveatCounts({ caveats: caveatsOf(reading(NOTHING_FOUND)) });
    };
    expect(await counts([], [])).toEqual({ searched_gap: 2, not_proven: 1 });
    expect(await counts(['cleo'], [])).toEqual({});
    expect(await counts([], ['b'])).toEqual({ searched_gap: 1 });
  });
});

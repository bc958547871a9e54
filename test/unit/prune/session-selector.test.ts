import { beforeEach, describe, expect, it } from 'vitest';
import type { Archive } from '../../../src/archive/archive.js';
import { plainHolds } from '../../support/store/plain-holds.js';
import { UsageError } from '../../../src/base/error.js';
import { asUserId, sessionKey } from '../../../src/model/ids.js';
import { SessionSelector, type SelectorOptions } from '../../../src/prune/session-selector.js';
import { LogFacts } from '../../../src/archive/state/log-facts.js';
import { pruneRules, type PruneRules } from '../../../src/prune/prune-rules.js';
import type { SavedPlan } from '../../../src/prune/plan/saved-plan.js';
import { draft, job, makeArchive, runOf, session } from '../../support/store/archive-samples.js';
import { createMemoryStorage } from '../../support/store/memory-storage.js';

const clock = { now: () => 0, monotonic: () => 0, sleep: () => Promise.resolve() };
let archive: Archive;
let facts: LogFacts;

/** Commit 1 has ann’s a and b, commit 2 ben’s c, which is incomplete, and ben’s d. */
beforeEach(async () => {
  archive = await makeArchive(createMemoryStorage());
  const ann = ['a', 'b'].map((id) => session('ann', id));
  const ben = [session('ben', 'c', { complete: false }), session('ben', 'd')];
  const jobs = (of: typeof ann) => of.map(({ user, session: id }) => job(user, id, `job ${id}`));
  await archive.log.append(draft({ sessions: ann, jobs: jobs(ann) }));
  await archive.log.append(draft({ base: 1, sessions: ben, jobs: jobs(ben) }));
  facts = new LogFacts(archive);
  await archive.index.refresh();
});

/** Commit 3: ann’s e. */
async function addLater(): Promise<void> {
  const sessions = [session('ann', 'e')];
  await archive.log.append(
    draft({ base: 2, run: runOf('B'), sessions, jobs: [job('ann', 'e', 'job e')] }),
  );
  await archive.index.refresh();
}

function selector(
  rules: Partial<PruneRules> = {},
  over: Partial<SelectorOptions> = {},
): SessionSelector {
  return new SessionSelector({
    archive: { ...archive, clock },
    facts,
    rules: pruneRules({ all: true, ...rules }),
    ...over,
  });
}

function planOf(...sessions: readonly (readonly [string, string, number])[]): SavedPlan {
  const named = sessions.map(([user, id, commit]) => ({ user, session: id, commit, jobs: 1 }));
  return { sessions: named } as unknown as SavedPlan;
}

/** `ann/a` for each session that the survey means, and of which it says that it may go. */
async function survey(of: SessionSelector) {
  const { users, inScope, wanted } = await of.survey(new AbortController().signal);
  const all = ['ann/a', 'ann/b', 'ben/c', 'ben/d'];
  const has = (keys: ReadonlySet<string>) =>
    all.filter((name) => keys.has(sessionKey(...(name.split('/') as [string, string]))));
  return { users, inScope: has(inScope), wanted: has(wanted) };
}

async function refusalsOf(of: SessionSelector, user: 'ann' | 'ben'): Promise<unknown[]> {
  const known = (await of.users()).find((one) => one === user);
  const { sessions } = await facts.sessionsOf(known!);
  const { chosen } = await of.select(sessions);
  return chosen.map(({ archived, refusal }) => [archived.session, refusal?.reason ?? 'may go']);
}

it('the sessions are those that rules select, and go where nothing speaks against them', async () => {
  expect(await survey(selector())).toEqual({
    users: ['ann', 'ben'],
    inScope: ['ann/a', 'ann/b', 'ben/c', 'ben/d'],
    wanted: ['ann/a', 'ann/b', 'ben/d'],
  });
});

it('what goes under one spelling is not selected, nor counted, under another', async () => {
  const sessions = [session('Ann', 'a'), session('Ann', 'own')];
  const jobs = [job('Ann', 'a', 'job a'), job('Ann', 'own', 'job own')];
  await archive.log.append(draft({ base: 2, run: runOf('B'), sessions, jobs }));
  await archive.index.refresh();
  const of = selector();
  const answers = [true, false];
  const attempt = of.goingOnce(() => Promise.resolve(answers.shift() ?? false));
  const [ann, other] = ['ann', 'Ann'].map(asUserId);
  for (const archived of (await facts.sessionsOf(ann!)).sessions) await attempt(archived);
  const { chosen, live } = await of.select((await facts.sessionsOf(other!)).sessions);
  expect(chosen.map(({ archived }) => archived.session)).toEqual(['own']);
  expect(live).toBe(1);
});

it('what the rules keep of one user stays, whoever else lists it', async () => {
  /** A UUID of version 7: it tells when it was made. */
  const madeAt = (ms: number) => {
    const digits = ms.toString(16).padStart(12, '0');
    return `${digits.slice(0, 8)}-${digits.slice(8)}-7000-8000-000000000000`;
  };
  const [early, late] = [madeAt(Date.UTC(2024, 0, 1)), madeAt(Date.UTC(2024, 5, 1))];
  const sessions = [session('cyd', 's'), session('dan', 's'), session('dan', 'newer')];
  const jobs = [job('cyd', 's', early), job('dan', 's', early), job('dan', 'newer', late)];
  await archive.log.append(draft({ base: 2, run: runOf('B'), sessions, jobs }));
  await archive.index.refresh();
  const of = selector({ all: false, users: ['dan', 'cyd'], keep: 1 });
  await of.survey(new AbortController().signal);
  const dan = (await of.users()).find((user) => user === 'dan')!;
  const { chosen, kept } = await of.select((await facts.sessionsOf(dan)).sessions);
  expect(chosen).toEqual([]);
  expect(kept.map(({ archived, why }) => [archived.session, why])).toEqual([
    ['newer', "among the user's 1 newest"],
    ['s', "kept of cyd, who lists it, too: among the user's 1 newest"],
  ]);
});

it('the sessions that are chosen are those of the named users only', async () => {
  const { users, inScope } = await survey(selector({ users: ['ben'] }));
  expect([users, inScope]).toEqual([['ben'], ['ben/c', 'ben/d']]);
});

it('the sessions that are chosen are the named ones only', async () => {
  const only = selector({ all: false, sessions: ['b'] });
  expect(await survey(only)).toEqual({ users: ['ann'], inScope: ['ann/b'], wanted: ['ann/b'] });
});

it('the sessions that are chosen are those only that the caller means', async () => {
  const selects = (user: string, id: string) => user === 'ann' && id === 'b';
  expect(await survey(selector({}, { selects }))).toEqual({
    users: ['ann'],
    inScope: ['ann/b'],
    wanted: ['ann/b'],
  });
});

it('the sessions that are chosen are of a user of whom as many go as are kept, too', async () => {
  await addLater();
  const selects = (_user: string, id: string) => id === 'a' || id === 'e';
  expect(await survey(selector({ keep: 1 }, { selects }))).toMatchObject({
    users: ['ann'],
    wanted: ['ann/a'],
  });
});

it('the sessions have among them those that a rule keeps, of which something is to be said', async () => {
  const young = { olderThanMs: 1e15 };
  const { inScope, wanted } = await survey(selector(young));
  expect([inScope.length, wanted]).toEqual([4, []]);
  const selects = (_user: string, id: string) => id === 'd';
  expect((await survey(selector(young, { selects }))).inScope).toEqual(['ben/d']);
});

it('the sessions that are chosen are not processed further once the run is stopped', async () => {
  const stop = AbortSignal.abort(new Error('told to stop'));
  await expect(selector().survey(stop)).rejects.toThrow('told to stop');
});

it('what is named and not there is refused: a user, a session, a hold', async () => {
  const { location } = archive.storage;
  await expect(survey(selector({ users: ['ann', 'eve'] }))).rejects.toThrow(
    new UsageError(`${location} has no user "eve"; users in it: ann, ben`),
  );
  await expect(survey(selector({ sessions: ['a', 'z'] }))).rejects.toThrow(
    new UsageError(`${location} has no session "z"; sessions in it: a, b, c, d`),
  );
  await expect(survey(selector({ holds: plainHolds(['z']) }))).rejects.toThrow('matches no user');
});

it('what is named and not there is passed over where the caller says so', async () => {
  const holds = plainHolds(['z']);
  expect((await survey(selector({ holds, allowUnknownHolds: true }))).wanted).toHaveLength(3);
  const rules = { users: ['ann', 'eve'], sessions: ['a', 'z'] };
  expect(await selector(rules, { unknownIds: 'skip' }).users()).toEqual(['ann']);
  expect(await survey(selector(rules, { unknownIds: 'skip' }))).toEqual({
    users: ['ann'],
    inScope: ['ann/a'],
    wanted: ['ann/a'],
  });
});

it('a plan means what it names, where nothing has changed since', async () => {
  const plan = planOf(['ann', 'a', 1], ['ben', 'd', 1]);
  expect(await survey(selector({}, { plan }))).toEqual({
    users: ['ann', 'ben'],
    inScope: ['ann/a', 'ben/d'],
    wanted: ['ann/a'],
  });
  expect(await refusalsOf(selector({}, { plan }), 'ben')).toEqual([['d', 'outdated']]);
});

it('a plan does not allow what its rules do not select', async () => {
  const plan = planOf(['ann', 'a', 1], ['ann', 'b', 1], ['ben', 'd', 2]);
  const refusals = async (rules: Partial<PruneRules>) => {
    const of = selector(rules, { plan });
    const { sessions } = await facts.sessionsOf((await of.users())[0]!);
    const { chosen, kept } = await of.select(sessions);
    expect(kept).toEqual([]);
    return chosen.map(({ archived, refusal }) => [archived.session, refusal]);
  };
  const unselected = (why: string) => {
    return { reason: 'not-selected', detail: `the rules of the plan do not select it: ${why}` };
  };
  const named = unselected('they name others');
  expect(await refusals({ sessions: ['a'] })).toEqual([
    ['a', undefined],
    ['b', named],
  ]);
  expect(await refusals({ users: ['ben'] })).toEqual([
    ['a', named],
    ['b', named],
  ]);
  const young = unselected('its last change was first seen on 2026-11-05, which is too recent');
  expect(await refusals({ olderThanMs: 1e15 })).toEqual([
    ['a', young],
    ['b', young],
  ]);
});

it('a plan does not stand for another number of jobs than it was made for', async () => {
  const plan = planOf(['ann', 'a', 1], ['ann', 'b', 1]);
  const sessions = plan.sessions.map((of) => ({ ...of, jobs: of.session === 'a' ? 2 : 1 }));
  const of = selector({}, { plan: { ...plan, sessions } });
  expect(await refusalsOf(of, 'ann')).toEqual([
    ['a', 'outdated'],
    ['b', 'may go'],
  ]);
});

it('a plan may have rules that name a session, and each session that stays has its own reason', async () => {
  const plan = planOf(['ann', 'a', 1], ['ann', 'b', 1]);
  expect(await survey(selector({ sessions: ['a'] }, { plan }))).toMatchObject({
    wanted: ['ann/a'],
  });
  await addLater();
  const of = selector(
    { keep: 1, sessions: ['e'] },
    { plan: planOf(['ann', 'a', 1], ['ann', 'e', 3]) },
  );
  const { sessions } = await facts.sessionsOf((await of.users())[0]!);
  const { chosen } = await of.select(sessions);
  expect(chosen.map(({ archived, refusal }) => [archived.session, refusal?.detail])).toEqual([
    ['a', 'the rules of the plan do not select it: they name others'],
    ['e', expect.stringContaining('newest')],
  ]);
});

it('a plan must name sessions of the archive, each of its own user', async () => {
  const plan = planOf(['ann', 'a', 1], ['ann', 'd', 1], ['ben', 'd', 2]);
  await expect(survey(selector({}, { plan }))).rejects.toThrow(
    new UsageError(
      `${archive.storage.location} has no session "d" of these users; sessions in it: a, b`,
    ),
  );
  const skipped = await survey(selector({}, { plan, unknownIds: 'skip' }));
  expect(skipped.inScope).toEqual(['ann/a', 'ben/d']);
});

it('a plan that somebody agreed to allows nothing else', async () => {
  const saved = planOf(['ann', 'a', 1], ['ann', 'b', 2], ['ben', 'c', 1]);
  const of = selector({}, { agreed: { saved, summary: { sessions: [] } } });
  expect(await refusalsOf(of, 'ann')).toEqual([
    ['a', 'may go'],
    ['b', 'outdated'],
  ]);
  expect(await refusalsOf(of, 'ben')).toEqual([
    ['c', 'incomplete'],
    ['d', 'outdated'],
  ]);
  expect((await survey(of)).inScope).toHaveLength(4);
});

it('a plan says what to do where a session has changed since it was shown or made', async () => {
  const other = planOf(['ann', 'a', 2]);
  const detailOf = async (of: SessionSelector) => {
    const { sessions } = await facts.sessionsOf((await of.users())[0]!);
    return (await of.select(sessions)).chosen[0]?.refusal;
  };
  expect(
    await detailOf(selector({}, { agreed: { saved: other, summary: { sessions: [] } } })),
  ).toEqual({
    reason: 'outdated',
    detail: 'it has changed since the plan was shown: the next run shows it again',
  });
  expect(await detailOf(selector({}, { plan: other }))).toEqual({
    reason: 'outdated',
    detail: 'it has changed since the plan was made: make a new one',
  });
});

describe('session selector', () => {
  const cuid = 'cm3ikdeuj02zk01l1yeuirt77';
  /** Two users’ sessions with the same job, in the commits 3 and 4. */
  async function addShared() {
    for (const [at, [user, id]] of [['ann', 'x'] as const, ['cyd', 'y'] as const].entries()) {
      const [sessions, jobs] = [[session(user, id)], [job(user, id, cuid)]];
      await archive.log.append(draft({ base: 2 + at, sessions, jobs }));
    }
    await archive.index.refresh();
  }
  async function othersOf(rules: Partial<PruneRules>, signal = new AbortController().signal) {
    const of = selector(rules);
    const survey = await of.survey(new AbortController().signal);
    await of.compareWithOthers(survey, signal);
    return survey.compared.othersOf({ user: 'ann', session: 'x' });
  }

  it('a session that may go is compared with those of everybody, each once', async () => {
    await addShared();
    const other = [{ user: 'cyd', session: 'y' }];
    expect(await othersOf({ users: ['ann'] })).toEqual(other);
    expect(await othersOf({})).toEqual(other);
  });

  it('a session that may go is what the comparison is for: where none may go, there is none', async () => {
    await addShared();
    expect(await othersOf({ users: ['ann'], olderThanMs: 1e15 })).toEqual([]);
  });

  it('a session that may go is not compared further once the run is stopped', async () => {
    await addShared();
    const stop = AbortSignal.abort(new Error('told to stop'));
    await expect(othersOf({ users: ['ann'] }, stop)).rejects.toThrow('told to stop');
  });
});

it('the caller’s own reason stops a session', async () => {
  const veto = (user: string, id: string) =>
    user === 'ann' && id === 'a' ? 'it failed in this run' : undefined;
  const of = selector({}, { veto });
  const { sessions } = await facts.sessionsOf((await of.users())[0]!);
  const { chosen } = await of.select(sessions);
  expect(chosen.map(({ refusal }) => refusal)).toEqual([
    { reason: 'export', detail: 'it failed in this run' },
    undefined,
  ]);
});

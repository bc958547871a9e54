import { expect, it } from 'vitest';
import { pruneRules } from '../../../src/prune/prune-rules.js';
import { pruneView } from '../../../src/cli/output/reports/prune-report.js';
import { viewText } from '../../../src/cli/output/view.js';
import { countSessions, emptyPruneSummary } from '../../../src/prune/prune-summary.js';
import { selectSessions } from '../../../src/prune/selection-rules.js';
import { attemptSelected, type SelectedAttempts } from '../../../src/prune/attempt-selected.js';
import type { ArchivedSession } from '../../../src/archive/state/archived-session.js';
import { archived, NOW } from '../../support/store/archived-sessions.js';

/** Nothing is wanted of her sessions, which have no names. */
const ofAnn = (sessions: readonly ArchivedSession[]) => ({
  user: 'ann',
  isNamed: false,
  isOfPlan: false,
  selection: selectSessions(sessions, pruneRules({}), NOW),
  nameOf: (): string | null => null,
});

it('going through a selection stops where enough is gone, and passes over what may not go', async () => {
  const sessions = [1, 2, 3, 4].map((commit) =>
    archived(`s${commit}`, { commit }, { complete: commit !== 1 }),
  );
  const summary = emptyPruneSummary('place', 'run');
  const budget = { maxDelete: 9, remaining: 9 };
  const tried: string[] = [];
  await attemptSelected({
    ...ofAnn(sessions),
    wanted: 1,
    budget,
    summary,
    attempt: ({ session }) => Promise.resolve(tried.push(session) > 1),
  });
  expect(tried).toEqual(['s2', 's3']);
  expect(budget.remaining).toBe(8);
  countSessions(summary, undefined);
  expect(summary).toMatchObject({ kept: 1, deletions: { refused: 1 }, short_of_slots: [] });
});

it('going through a selection tells for whom fewer may go than are wanted', async () => {
  const sessions = [1, 2].map((commit) => archived(`s${commit}`, { commit }));
  const summary = emptyPruneSummary('place', 'run');
  await attemptSelected({
    ...ofAnn(sessions),
    wanted: 4,
    budget: { maxDelete: 9, remaining: 9 },
    summary,
    attempt: () => Promise.resolve(true),
  });
  expect(summary.short_of_slots).toEqual([{ user: 'ann', missing: 2, why: 'no-other' }]);
  expect(viewText(pruneView(summary))).toMatch(
    /\n {2}slots missing {2,}2 for ann: no other conversation of theirs may go, so --free-slots is not reached\n/,
  );
});

it('going through a selection says why each stays, and deletes no more than one run may', async () => {
  const sessions = [1, 2, 3].map((commit) =>
    archived(`s${commit}`, { commit }, { complete: commit !== 1 }),
  );
  const summary = emptyPruneSummary('place', 'run');
  await attemptSelected({
    ...ofAnn(sessions),
    wanted: undefined,
    budget: { maxDelete: 1, remaining: 1 },
    summary,
    nameOf: ({ session }) => `named ${session}`,
    attempt: () => Promise.resolve(true),
  });
  expect(summary.sessions).toMatchObject([
    { session: 's1', name: 'named s1', reason: 'incomplete' },
    {
      session: 's3',
      outcome: 'left',
      reason: 'max-delete',
      detail: 'the next run goes on: --max-delete 1',
    },
  ]);
  expect(summary.max_delete).toBe(1);

  const reached = emptyPruneSummary('place', null);
  await attemptSelected({
    ...ofAnn(sessions),
    wanted: 0,
    budget: { maxDelete: 1, remaining: 1 },
    summary: reached,
    attempt: () => Promise.reject(new Error('nothing is to go')),
  });
  expect(reached.sessions.map(({ name, detail }) => [name, detail])).toEqual(
    [1, 2, 3].map(() => [null, 'the target of free slots is already reached']),
  );
});

/** Goes through sessions of ann to free so many slots. @param fails those that the last checks refuse */
async function freed(
  sessions: readonly ArchivedSession[],
  wanted: number,
  over: Partial<SelectedAttempts> & { readonly fails?: readonly string[] } = {},
) {
  const { fails = [], ...more } = over;
  const summary = emptyPruneSummary('place', 'run');
  const tried: string[] = [];
  await attemptSelected({
    ...ofAnn(sessions),
    wanted,
    budget: { maxDelete: 99, remaining: 99 },
    summary,
    attempt: ({ session }) => {
      tried.push(session);
      return Promise.resolve(!fails.includes(session));
    },
    ...more,
  });
  countSessions(summary, undefined);
  return { summary, tried, text: viewText(pruneView(summary)).replaceAll(/\s+/g, ' ') };
}

it('going through a selection frees no slot where nothing shows which is newer', async () => {
  const together = ['a', 'b', 'c', 'd'].map((id) => archived(id, { commit: 1 }));
  const none = await freed(together, 2);
  expect(none.tried).toEqual([]);
  expect(none.summary.short_of_slots).toEqual([{ user: 'ann', missing: 2, why: 'order' }]);
  expect(none.text).toContain(
    'slots missing 2 for ann: which of their conversations are older cannot be told, so these stay',
  );
  expect(none.text).toContain(
    "user ann, 4 conversations: not selected: perhaps among the user's 2 newest that may go: which of them are newer cannot be told, so all of them stay",
  );
  // all may go, or later ones are newer
  expect((await freed(together, 4)).tried).toEqual(['a', 'b', 'c', 'd']);
  const later = ['e', 'f'].map((id) => archived(id, { commit: 2 }));
  const some = await freed([...together, ...later], 4);
  expect(some.tried).toEqual(['a', 'b', 'c', 'd']);
  expect(some.summary).toMatchObject({ kept: 2, short_of_slots: [] });
  expect((await freed([...together, ...later], 5)).tried).toEqual(['a', 'b', 'c', 'd']);
  expect((await freed([...together, ...later], 6)).tried).toHaveLength(6);
});

it('going through a selection looks again at what stayed once a session may not go', async () => {
  const first = archived('a', { commit: 1 });
  const together = ['b', 'c'].map((id) => archived(id, { commit: 2 }));
  expect((await freed([first, ...together], 2)).tried).toEqual(['a']);
  expect((await freed([first, ...together], 2, { fails: ['a'] })).tried).toEqual(['a', 'b', 'c']);
});

it('going through a selection of a plan says that the plan names no other', async () => {
  const sessions = [1, 2].map((commit) => archived(`s${commit}`, { commit }));
  const { summary, text } = await freed(sessions, 4, { isOfPlan: true });
  expect(summary.short_of_slots).toEqual([{ user: 'ann', missing: 2, why: 'plan' }]);
  expect(text).toContain(
    'slots missing 2 for ann: the plan names no other conversation of theirs, so --free-slots is not reached',
  );
});

it('going through a selection promises the next run what a limit leaves', async () => {
  const sessions = [1, 2].map((commit) => archived(`s${commit}`, { commit }));
  const { summary, text } = await freed(sessions, 2, { budget: { maxDelete: 1, remaining: 1 } });
  expect(summary.short_of_slots).toEqual([{ user: 'ann', missing: 1, why: 'limit' }]);
  expect(text).toContain(
    'slots missing 1 for ann: this run may delete no more, the next one goes on',
  );
});

it('going through a selection refuses no more than the slots that were asked for', async () => {
  const sessions = [1, 2, 3, 4, 5].map((commit) =>
    archived(`s${commit}`, { commit }, { complete: false }),
  );
  const { summary, text } = await freed(sessions, 2);
  expect(summary).toMatchObject({ kept: 3, deletions: { refused: 2 } });
  expect(summary.short_of_slots).toEqual([{ user: 'ann', missing: 2, why: 'no-other' }]);
  expect(text).toContain(
    'user ann, 3 conversations: not selected: could not go in place of another: its history has not been read to the end',
  );
});

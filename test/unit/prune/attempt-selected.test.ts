import { expect, it } from 'vitest';
import { pruneRules } from '../../../src/prune/prune-rules.js';
import { pruneView } from '../../../src/cli/output/reports/prune-report.js';
import { viewText } from '../../../src/cli/output/view.js';
import { countSessions, emptyPruneSummary } from '../../../src/prune/prune-summary.js';
import { selectSessions } from '../../../src/prune/selection-rules.js';
import { attemptSelected } from '../../../src/prune/attempt-selected.js';
import { archived, NOW } from '../../support/store/archived-sessions.js';

it('going through a selection stops where enough is gone, and passes over what may not go', async () => {
  const sessions = [1, 2, 3, 4].map((commit) =>
    archived(`s${commit}`, { commit }, { complete: commit !== 1 }),
  );
  const summary = emptyPruneSummary('place', 'run');
  const budget = { maxDelete: 9, remaining: 9 };
  const tried: string[] = [];
  await attemptSelected({
    user: 'ann',
    isNamed: false,
    selection: selectSessions(sessions, pruneRules({}), NOW),
    wanted: 1,
    budget,
    summary,
    nameOf: () => null,
    attempt: ({ session }) => Promise.resolve(tried.push(session) > 1),
  });
  expect(tried).toEqual(['s2', 's3']);
  expect(budget.remaining).toBe(8);
  countSessions(summary);
  expect(summary).toMatchObject({ kept: 1, deletions: { refused: 1 }, short_of_slots: [] });
});

it('going through a selection tells for whom fewer may go than are wanted', async () => {
  const sessions = [1, 2].map((commit) => archived(`s${commit}`, { commit }));
  const summary = emptyPruneSummary('place', 'run');
  await attemptSelected({
    user: 'ann',
    isNamed: false,
    selection: selectSessions(sessions, pruneRules({}), NOW),
    wanted: 4,
    budget: { maxDelete: 9, remaining: 9 },
    summary,
    nameOf: () => null,
    attempt: () => Promise.resolve(true),
  });
  expect(summary.short_of_slots).toEqual([{ user: 'ann', missing: 2 }]);
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
    user: 'ann',
    isNamed: false,
    selection: selectSessions(sessions, pruneRules({}), NOW),
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
      reason: 'max-delete',
      detail: 'the most that one run may delete is 1: the next run goes on',
    },
  ]);

  const reached = emptyPruneSummary('place', null);
  await attemptSelected({
    user: 'ann',
    isNamed: false,
    selection: selectSessions(sessions, pruneRules({}), NOW),
    wanted: 0,
    budget: { maxDelete: 1, remaining: 1 },
    summary: reached,
    nameOf: () => null,
    attempt: () => Promise.reject(new Error('nothing is to go')),
  });
  expect(reached.sessions.map(({ name, detail }) => [name, detail])).toEqual(
    [1, 2, 3].map(() => [null, 'the target of free slots is already reached']),
  );
});

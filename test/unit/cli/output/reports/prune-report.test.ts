import { expect, it } from 'vitest';
import { pruneView } from '../../../../../src/cli/output/reports/prune-report.js';
import { viewText } from '../../../../../src/cli/output/view.js';
import { emptyPruneSummary, type PrunedSession } from '../../../../../src/prune/prune-summary.js';

const session = (
  user: string,
  id: string,
  outcome: PrunedSession['outcome'],
  detail: string,
): PrunedSession => ({
  ...{ user, session: id, outcome, detail, jobs: 1, name: id.toUpperCase(), commit: 1 },
  ...{ newest_job_at: null, changed_at: null, reason: null },
});
const tooRecent = (day: string): string =>
  `its newest job is from ${day} (told by its id), which is too recent`;

/** Its lines about sessions. */
function linesOf(sessions: readonly PrunedSession[]): string[] {
  const summary = { ...emptyPruneSummary('/a', null), sessions: [...sessions] };
  return viewText(pruneView(summary))
    .split('\n')
    .filter((line) => line.startsWith('    '));
}

it('a plan has a line for each reason why many sessions stay, with the first and last day', () => {
  const users = ['ann', 'bob', 'cyd', 'dan', 'eve', 'fay', 'gus'];
  const kept = users.flatMap((user, at) => [
    session(user, `${user}1`, 'kept', tooRecent(`2026-11-2${at}`)),
    session(user, `${user}2`, 'kept', "among the user's 3 newest"),
  ]);
  expect(linesOf(kept)).toEqual([
    '    7 conversations of 7 users (ann, bob, cyd, dan, eve and 2 more): not selected: its newest job is from 2026-11-20 to 2026-11-26 (told by its id), which is too recent',
    "    7 conversations of 7 users (ann, bob, cyd, dan, eve and 2 more): not selected: among the user's 3 newest",
  ]);
});

it('a plan names a session that stays alone, and the user of several of one', () => {
  expect(
    linesOf([
      session('ann', 'a1', 'held', 'its user is on hold'),
      session('ann', 'a2', 'held', 'its user is on hold'),
      session('bob', 'b1', 'kept', tooRecent('2026-11-20')),
      session('cyd', 'c1', 'planned', 'its newest job is from 2025-01-01 (told by its id)'),
    ]),
  ).toEqual([
    '    user cyd, session c1 "C1": to delete (1 question): its newest job is from 2025-01-01 (told by its id)',
    '    user ann, 2 conversations: kept by a hold: its user is on hold',
    '    user bob, session b1 "B1": not selected: its newest job is from 2026-11-20 (told by its id), which is too recent',
  ]);
});

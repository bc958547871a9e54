import { expect, it } from 'vitest';
import { gapOf } from '../../../src/export/jobs/gap.js';
import { BatchTally, decodeBatchResult } from '../../../src/fleet/batch-tally.js';
import { summarise } from '../../../src/fleet/run-summary.js';
import { batchSize } from '../../../src/fleet/put-on-queue.js';
import { fault } from '../../support/base/fault.js';

const outcomeOf = (user: string, gaps: number, isNeverSeen = false) => ({
  entry: {
    ...{ user, complete: gaps === 0, error: null, listed: 1500 },
    ...{ passes: 1, expected: null, departed: 0 },
    sessions: { new: 0, changed: 0, unchanged: 0, failed: gaps },
    jobs: { archived: 0 },
  } as never,
  gaps: Array.from({ length: gaps }, (_, n) => gapOf(user, `s${n}`, new Error('it broke'))),
  errors: [],
  unchangedJobs: 0,
  isNeverSeen,
});
const record = {
  name: 'night',
  enqueued_at: '2026-11-24T01:00:00.000Z',
  archive: 'A',
  location: '/archive',
  since: 0,
  users: 3,
  round: true,
  doubtful_list: false,
};
const end = {
  ...{ record, location: '/archive', users: 3, doubts: [], budget: null, finishedAtMs: 0 },
  isSuppressed: (user: string) => user === 'erased',
};

it.each([
  [1, 1],
  [511, 1],
  [512, 2],
  [10_000, 39],
  [1_000_000, 500],
])('of %i users an entry of the queue has %i', fault('F-97'), (users, size) => {
  expect(batchSize(users)).toBe(size);
  expect(batchSize(size * 32, 32)).toBe(size);
});

it('the summary of a run counts every gap of a batch, though it names only the first twenty', () => {
  const results = [
    new BatchTally().addOutcome(outcomeOf('ada', 57)).result(),
    new BatchTally().addOutcome(outcomeOf('ben', 1)).addOutcome(outcomeOf('cy', 0)).result(),
  ];
  expect(results.map((result) => decodeBatchResult(result))).toEqual(results);
  const summary = summarise({ ...end, results, remaining: new Set(['ada', 'ben']) });
  expect(summary).toMatchObject({
    gap_counts: { gaps: 58 },
    status: 'gaps',
    sessions: { failed: 58 },
  });
  expect(summary.users).toEqual({
    ...{ total: 3, complete: 1, incomplete_by_decision: 0 },
    ...{ with_gaps: 2, failed: 0, left: 0 },
  });
  expect(summary.gaps.map(({ session }) => session)).toEqual([
    ...Array.from({ length: 20 }, (_, n) => `s${n}`),
    's0',
  ]);
});

it('a batch names the gaps that are open before those that somebody has accepted', () => {
  const { gaps, ...outcome } = outcomeOf('ada', 30);
  const all = gaps.map((gap, n) => (n === 29 ? gap : { ...gap, accepted: true as const }));
  const result = new BatchTally().addOutcome({ ...outcome, gaps: all }).result();
  expect(result).toMatchObject({ gap_counts: { gaps: 1, accepted_gaps: 29 } });
  expect(result.gaps.slice(0, 2).map(({ session }) => session)).toEqual(['s29', 's0']);
  expect(result.gaps).toHaveLength(20);
});

it('the summary has what was done before a batch was given back, and given-up users', () => {
  const before = new BatchTally().addOutcome(outcomeOf('ada', 0, true)).result();
  const after = new BatchTally().add(before).addLost(['ben', 'cy'], 'it kills workers').result();
  const summary = summarise({ ...end, results: [after], remaining: new Set(['ben', 'cy']) });
  expect(summary.users).toMatchObject({ total: 3, complete: 1, with_gaps: 0, failed: 2, left: 0 });
  expect(summary.gaps.map(({ user, reason }) => `${user}: ${reason}`)).toEqual([
    'ben: it kills workers',
    'cy: it kills workers',
  ]);
  expect(summary).toMatchObject({ never_seen: ['ada'], sessions: { listed: 1500 } });
});

it('the summary of a run does not count a user as failed whom the log has as complete since', () => {
  const lost = new BatchTally().addLost(['ada'], 'a worker died').result();
  const summary = summarise({ ...end, results: [lost], remaining: new Set() });
  expect(summary.users).toMatchObject({ total: 3, complete: 3, with_gaps: 0, failed: 0, left: 0 });
});

it('the summary of a run does not say of whom exports skip that a later run reads them', () => {
  const results = [new BatchTally().addLeft('erased').addLeft('ben').result()];
  const { users } = summarise({ ...end, results, remaining: new Set(['erased', 'ben']) });
  const counts = { total: 3, complete: 1, incomplete_by_decision: 0, with_gaps: 0, failed: 0 };
  expect(users).toEqual({ ...counts, left: 1, suppressed: 1 });
});

it('the summary of a run has nobody as complete of whom the budget left a conversation', () => {
  const left = (user: string, gaps: number) => {
    const outcome = outcomeOf(user, gaps);
    return { ...outcome, entry: { ...(outcome.entry as object), left: 4 } as never };
  };
  const tally = new BatchTally().addOutcome(left('ada', 0)).addOutcome(left('ben', 1));
  const results = [tally.addOutcome(outcomeOf('cy', 0)).result()];
  const summary = summarise({ ...end, results, remaining: new Set(['ada', 'ben']), decided: 1 });
  expect(summary).toMatchObject({
    // gaps are counted beside what was left
    status: 'not_all_read',
    users: { complete: 0, incomplete_by_decision: 1, with_gaps: 0, failed: 0, left: 2 },
    gap_counts: { gaps: 1 },
  });
});

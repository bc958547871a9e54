import { describe, expect, it } from 'vitest';
import { gapOf } from '../../../src/export/jobs/gap.js';
import { summarise } from '../../../src/fleet/run-summary.js';
import { decodeUserResult, emptyResult, resultOf } from '../../../src/fleet/user-result.js';
import { runRecord } from '../../support/rigs/run-record.js';

const outcomeOf = (user: string, gaps: number) => ({
  entry: {
    ...{ user, complete: gaps === 0, error: null, listed: 1500 },
    ...{ passes: 1, expected: null, departed: 0 },
    sessions: { new: 0, changed: 0, unchanged: 0, failed: gaps },
    jobs: { archived: 0 },
  } as never,
  gaps: Array.from({ length: gaps }, (_, n) => gapOf(user, `s${n}`, new Error('it broke'))),
  errors: [],
  unchangedJobs: 0,
  isNeverSeen: false,
});

describe('the summary of a run', () => {
  it('counts every gap of a user, though it names only the first', () => {
    const results = [resultOf(outcomeOf('ada', 57)), resultOf(outcomeOf('ben', 1))];
    expect(results.map((result) => decodeUserResult(result))).toEqual(results);
    const summary = summarise(runRecord('night'), [...results, emptyResult('cy')], 0);
    expect(summary.gap_count).toBe(58);
    expect(summary.status).toBe('gaps');
    expect(summary.gaps.map(({ session }) => session)).toEqual([
      ...Array.from({ length: 20 }, (_, n) => `s${n}`),
      's0',
    ]);
    expect(summary.sessions.failed).toBe(58);
  });
});

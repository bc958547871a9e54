import { describe, expect, it } from 'vitest';
import { JobvaultError, type FailureKind } from '../../../src/base/error.js';
import { EXIT, exitCodeOfError, exitCodeOfExport } from '../../../src/cli/exit-code.js';
import { usersNotFinished } from '../../../src/export/export-summary.js';
import type { Gap } from '../../../src/export/jobs/gap.js';
import { gapIn, summaryOf } from '../../support/tables/export-summaries.js';
import { fault } from '../../support/base/fault.js';

class Failure extends JobvaultError {
  override readonly name = 'Failure';
  readonly code = 'TEST';
  readonly disposition = 'fatal';

  constructor(readonly failure: FailureKind) {
    super(failure);
  }
}

const refused = (user: string) => gapIn({ user, status: 'refused' });

function exitCode(run: {
  readonly users?: number;
  readonly gaps?: readonly Gap[];
  readonly failures?: readonly FailureKind[];
  readonly error?: unknown;
}): number {
  const { users: total = 2, gaps = [], failures = [], error } = run;
  const failed = new Set(gaps.filter(({ session }) => session === null).map(({ user }) => user))
    .size;
  const users = { ...usersNotFinished(0), total, failed, complete: total - failed };
  return exitCodeOfExport({
    summary: summaryOf({ users, gaps: [...gaps] }),
    error,
    failures: new Set(failures),
  });
}

describe('the exit code of an export', () => {
  it('is 0 when nothing is missing, 3 when something is', () => {
    expect(exitCode({})).toBe(0);
    expect(exitCode({ gaps: [gapIn({ session: 's', status: 'missing' })] })).toBe(3);
  });

  it.each([
    ['integrity', 4],
    ['authentication', 6],
    ['storage', 9],
    ['unreachable', 5],
    ['refused', 7],
    ['locked', 8],
    ['usage', 2],
    ['unexpected', 1],
  ] as const)('of a run that ended by %s is %i', fault('F-32'), (kind, code) => {
    expect(exitCode({ error: new Failure(kind) })).toBe(code);
    expect(exitCode({ error: new Failure(kind), gaps: [gapIn()] })).toBe(code);
  });

  it('where several apply is the first of 4, 6, 9, 5, 7, 3', () => {
    const order = ['integrity', 'authentication', 'storage', 'unreachable', 'refused'] as const;
    order.forEach((kind, index) => {
      const failures = order.slice(index).filter((other) => other !== 'authentication');
      expect(exitCode({ error: new Failure(kind), failures, gaps: [gapIn()] })).toBe(EXIT[kind]);
    });
  });

  it('a refused user is a gap like any other, unless all are refused', () => {
    const failures = ['authentication'] as const;
    expect(exitCode({ gaps: [refused('ada')], failures })).toBe(3);
    expect(exitCode({ gaps: [refused('ada'), refused('bob')], failures })).toBe(6);
    expect(exitCode({ users: 1, gaps: [refused('ada')], failures })).toBe(6);
    // an empty shard, whose datasets are refused
    const datasets = { ...refused('ada'), kind: 'DATASET', dataset: null };
    expect(exitCode({ users: 0, gaps: [datasets], failures })).toBe(3);
  });

  it('users who all failed are not all refused', () => {
    const run = {
      gaps: [refused('ada'), gapIn({ user: 'bob' })],
      failures: ['authentication', 'unreachable'],
    } as const;
    expect(exitCode(run)).toBe(5);
  });

  it('a refused session is a gap, whatever other users there are', () => {
    const gaps = [gapIn({ session: 's', status: 'refused' })];
    expect(exitCode({ users: 1, gaps, failures: ['authentication'] })).toBe(3);
  });

  it('a key that is turned away ends with 6, however many users there are', () => {
    expect(exitCode({ error: new Failure('authentication'), users: 50 })).toBe(6);
  });

  it('a user or session that failed for a reason of its own is a gap', () => {
    expect(exitCode({ gaps: [gapIn()], failures: ['unexpected', 'usage'] })).toBe(3);
  });

  it('a service that could not be reached for one user has its code, though the run went on', () => {
    expect(exitCode({ gaps: [gapIn()], failures: ['unreachable'] })).toBe(5);
  });
});

it('an error of ours has the code of its kind, any other is unexpected', () => {
  expect(exitCodeOfError(new Failure('storage'))).toBe(9);
  expect([new TypeError('bug'), 'text', undefined].map(exitCodeOfError)).toEqual([1, 1, 1]);
});

import { describe, expect, it } from 'vitest';
import { besideNeighbours, oldestFirst } from '../../../../src/model/times/oldest-first.js';
import type { Row } from '../../../../src/model/table-schema.js';

/** `time` as the id tells it; null where it tells none. */
const job = (id: string, index: number, time: bigint | null): Row => {
  return { job_id: id, job_index: index, created_at: time };
};
const idsOf = (jobs: readonly Row[]) => jobs.map((row) => row['job_id']).join('');

it('jobs stand by time where all have one, whatever their numbers', () => {
  const jobs = [job('b', 0, 20n), job('d', 1, 40n), job('a', 2, 10n), job('c', 3, 30n)];
  expect(idsOf(oldestFirst(jobs))).toBe('abcd');
  expect(idsOf(oldestFirst(jobs.toReversed()))).toBe('abcd');
});

it('jobs in the order in which they were asked stand by number where one has no time', () => {
  const jobs = [job('a', 0, 10n), job('b', 1, null), job('d', 3, null), job('c', 2, 30n)];
  expect(idsOf(oldestFirst(jobs))).toBe('abcd');
});

it('jobs stand by number, then by id, where times are equal', () => {
  const jobs = [job('c', 1, 10n), job('b', 1, 10n), job('a', 2, 10n), job('d', 0, 10n)];
  expect(idsOf(oldestFirst(jobs))).toBe('dbca');
});

describe('the jobs beside a job without a time', () => {
  const silent = { ...job('x', 1, null), created_after: 15n, created_before: null };
  const whole = [job('a', 0, 10n), silent, job('c', 2, 20n)];
  const boundsIn = (history: readonly Row[], isWhole = true) => {
    const known = { isWhole, isOfCopy: false };
    const row = besideNeighbours(history, known).find((one) => one['created_at'] === null);
    return [row?.['created_after'], row?.['created_before']];
  };

  it('bound its time, whatever its row had when it was written', () => {
    expect(boundsIn(whole)).toEqual([10n, 20n]);
    expect(boundsIn(whole.slice(0, 2))).toEqual([null, null]);
  });

  it('bound it no closer than its row, where some of them lack', () => {
    expect(boundsIn(whole, false)).toEqual([15n, 20n]);
    expect(boundsIn(whole.slice(0, 2), false)).toEqual([15n, null]);
  });

  it('tell nothing where a number is there twice, or they may be listed by id', () => {
    expect(boundsIn([job('a', 0, 10n), job('x', 0, null), job('c', 1, 20n)])).toEqual([null, null]);
    expect(boundsIn([job('a', 0, 10n), job('b', 1, null), job('c', 2, 20n)])).toEqual([null, null]);
  });

  it('tell nothing of a row of a pseudonymised copy, which has the bounds that its archive knew', () => {
    const [, row] = besideNeighbours(whole, { isWhole: true, isOfCopy: true });
    expect(row).toBe(silent);
  });
});

it('jobs in the order in which they were asked are none where there are none', () => {
  expect(oldestFirst([])).toEqual([]);
});

import { expect, it } from 'vitest';
import { besideNeighbours, oldestFirst } from '../../../src/model/oldest-first.js';
import type { Row } from '../../../src/model/table-schema.js';

/** `time` as the id tells it; null where it tells none. */
const job = (
  id: string,
  index: number,
  time: bigint | null,
  run = 'r1',
  exported = 1000n,
): Row => ({ job_id: id, job_index: index, created_at: time, run_id: run, exported_at: exported });
const idsOf = (jobs: readonly Row[]) => jobs.map((row) => row['job_id']).join('');

it.each([
  ['newest first', [job('d', 0, 40n), job('c', 1, null), job('b', 2, 20n), job('a', 3, 10n)]],
  ['oldest first', [job('a', 0, 10n), job('b', 1, 20n), job('c', 2, null), job('d', 3, 40n)]],
  ['shuffled', [job('b', 0, 20n), job('d', 1, 40n), job('a', 2, 10n), job('c', 3, 30n)]],
])(
  'jobs in the order in which they were asked are the same whichever way the history runs: %s',
  (_order, jobs) => {
    expect(idsOf(oldestFirst(jobs))).toBe('abcd');
    expect(idsOf(oldestFirst(jobs.toReversed()))).toBe('abcd');
  },
);

it('jobs in the order in which they were asked keep a job without a timestamp between the jobs around it, at either end too', () => {
  const jobs = [job('d', 0, null), job('c', 1, 30n), job('b', 2, 20n), job('a', 3, null)];
  expect(idsOf(oldestFirst(jobs))).toBe('abcd');
});

it('jobs in the order in which they were asked put what a later run has found behind what an earlier one had', () => {
  const jobs = [job('b', 0, 20n), job('a', 1, 10n), job('c', 0, 30n, 'r2', 2000n)];
  expect(idsOf(oldestFirst(jobs))).toBe('abc');
  const without = [job('a', 0, null), job('b', 1, null), job('c', 0, null, 'r2', 2000n)];
  expect(idsOf(oldestFirst(without))).toBe('abc');
});

it('jobs in the order in which they were asked keep the place of one that a later run has read again, before one of unknown time', () => {
  const jobs = [
    ...[job('a', 0, 10n), job('c', 2, null)],
    ...[job('b', 1, 20n, 'r2', 2000n), job('d', 3, 30n, 'r2', 2000n)],
  ];
  expect(idsOf(oldestFirst(jobs))).toBe('abcd');
  const without = [job('b', 1, null), job('a', 0, null, 'r2', 2000n)];
  expect(idsOf(oldestFirst(without))).toBe('ab');
});

it('jobs in the order in which they were asked have the times of their neighbours of now as bounds, or those of their rows where these are closer', () => {
  const history = [
    ...[job('a', 0, 10n), { ...job('b', 1, null), created_after: 15n, created_before: null }],
    job('c', 2, 20n, 'r2', 2000n),
  ];
  expect(besideNeighbours(history)[1]).toMatchObject({ created_after: 15n, created_before: 20n });
  expect(besideNeighbours(history.slice(0, 2))[1]).toBe(history[1]);
});

it('jobs in the order in which they were asked have no neighbours where a number is there twice', () => {
  const history = [job('a', 0, 10n), job('b', 0, null), job('c', 1, 20n)];
  expect(besideNeighbours(history)[1]).toBe(history[1]);
});

it('jobs in the order in which they were asked are none where there are none', () => {
  expect(oldestFirst([])).toEqual([]);
});

import { expect, it } from 'vitest';
import { besideNeighbours, oldestFirst } from '../../../src/model/oldest-first.js';
import type { Row } from '../../../src/model/table-schema.js';

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

it("jobs have their neighbours' times of now as bounds, or their rows' if closer", () => {
  const history = [
    ...[job('a', 0, 10n), { ...job('b', 1, null), created_after: 15n, created_before: null }],
    job('c', 2, 20n),
  ];
  expect(besideNeighbours(history)[1]).toMatchObject({ created_after: 15n, created_before: 20n });
  expect(besideNeighbours(history.slice(0, 2))[1]).toBe(history[1]);
});

it('jobs have no neighbours where a number is there twice', () => {
  const history = [job('a', 0, 10n), job('b', 0, null), job('c', 1, 20n)];
  expect(besideNeighbours(history)[1]).toBe(history[1]);
});

it('jobs in the order in which they were asked are none where there are none', () => {
  expect(oldestFirst([])).toEqual([]);
});

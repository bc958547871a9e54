/** What a workbook's cover says of its first and its last question: never a time that another question may be beyond. */
import { expect, it } from 'vitest';
import { AskedSpan } from '../../../src/workbook/asked-span.js';

const DAY = 86_400_000_000n;
const at = (day: bigint) => 1_767_225_600_000_000n + day * DAY;
const job = (created: bigint | null, after: bigint | null, before: bigint | null) => ({
  created_at: created,
  created_after: created ?? after,
  created_before: created ?? before,
});
const [first, last] = [job(at(1n), null, null), job(at(3n), null, null)];

it.each([
  [
    'ids tell all times',
    [last, first],
    ['2026-01-02T00:00:00.000000Z', undefined],
    ['2026-01-04T00:00:00.000000Z', undefined],
  ],
  [
    'the bounds of others are within',
    [first, job(null, at(1n), at(3n)), last],
    ['2026-01-02T00:00:00.000000Z', undefined],
    ['2026-01-04T00:00:00.000000Z', undefined],
  ],
  [
    'one was asked before a later question that is not here',
    [first, last, job(null, at(2n), at(9n))],
    ['2026-01-02T00:00:00.000000Z', undefined],
    [
      'before 2026-01-10 00:00 UTC',
      'as the questions beside it tell; the last one whose own time is known: 2026-01-04 00:00 UTC',
    ],
  ],
  [
    'one was asked after an earlier question that is not here',
    [job(null, at(0n), at(9n))],
    ['after 2026-01-01 00:00 UTC', 'as the questions beside it tell'],
    ['before 2026-01-10 00:00 UTC', 'as the questions beside it tell'],
  ],
  [
    'nothing tells of one, and of others only one side',
    [first, last, job(null, null, null), job(null, null, at(9n))],
    [
      '2026-01-02T00:00:00.000000Z',
      'or earlier: of 2 questions no dated one beside them tells when they were asked at the earliest',
    ],
    [
      '2026-01-04T00:00:00.000000Z',
      'or later: of 1 question no dated one beside it tells when it was asked at the latest',
    ],
  ],
  ['no time is known', [job(null, null, null)], undefined, undefined],
])('where %s', (_where, jobs, begin, end) => {
  const span = new AskedSpan(false);
  for (const one of jobs) span.add(one);
  const told = [span.first, span.last].map(
    (one) => one && ['at' in one ? one.at : one.bound, one.note],
  );
  expect(told).toEqual([begin, end]);
});

it('where days alone are known, a bound of the same day is not beyond it', () => {
  const span = new AskedSpan(true);
  for (const one of [first, job(null, at(1n), at(3n)), last]) span.add(one);
  expect([span.first, span.last]).toEqual([{ at: '2026-01-02' }, { at: '2026-01-04' }]);
  span.add(job(null, at(0n), at(5n)));
  const note = 'as the questions beside it tell; the first one whose own time is known: 2026-01-02';
  expect(span.first).toEqual({ bound: 'on or after 2026-01-01', note });
  expect(span.last).toMatchObject({ bound: 'on or before 2026-01-06' });
});

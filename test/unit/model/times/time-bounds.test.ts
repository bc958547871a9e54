import fc from 'fast-check';
import { expect, it } from 'vitest';
import { classifyByPeriod, orderOf, timeBounds } from '../../../../src/model/times/time-bounds.js';

const bounds = (after: bigint | null, before: bigint | null) => ({ after, before });

it('the bounds are the times of the jobs before and after it, whichever way the history runs', () => {
  const oldestFirst = [null, 10n, null, null, 20n, null];
  const expected = [
    bounds(null, 10n),
    bounds(10n, 10n),
    bounds(10n, 20n),
    bounds(10n, 20n),
    bounds(20n, 20n),
    bounds(20n, null),
  ];
  expect(timeBounds(oldestFirst)).toEqual(expected);
  expect(timeBounds(oldestFirst.toReversed())).toEqual(expected.toReversed());
});

it('the bounds are none if no two times show which way the history runs', () => {
  expect(timeBounds([null, 10n, null])).toEqual([
    bounds(null, null),
    bounds(10n, 10n),
    bounds(null, null),
  ]);
  expect(timeBounds([10n, null, 10n])[1]).toEqual(bounds(null, null));
});

it('the bounds of a job without a time are one where the way is known from elsewhere', () => {
  expect(timeBounds([null, 10n, null], 'newest-first')).toEqual([
    bounds(10n, null),
    bounds(10n, 10n),
    bounds(null, 10n),
  ]);
});

it('the bounds are none where times contradict the order, or the way that is said to be known', () => {
  expect(timeBounds([10n, null, 30n, 20n])[1]).toEqual(bounds(null, null));
  expect(timeBounds([10n, null, 30n, 20n], 'oldest-first')[1]).toEqual(bounds(null, null));
  expect(timeBounds([10n, null, 20n], 'newest-first')[1]).toEqual(bounds(null, null));
});

it('the bounds of a job without a time hold for every history in order', () => {
  const histories = fc.array(fc.record({ at: fc.bigInt(0n, 50n), isTold: fc.boolean() }));
  fc.assert(
    fc.property(histories, fc.boolean(), (jobs, isNewestFirst) => {
      const history = jobs.toSorted((a, b) => Number(a.at - b.at));
      if (isNewestFirst) history.reverse();
      const found = timeBounds(history.map(({ at, isTold }) => (isTold ? at : null)));
      for (const [index, { at }] of history.entries()) {
        const { after, before } = found[index] ?? bounds(null, null);
        expect((after ?? at) <= at && at <= (before ?? at)).toBe(true);
      }
    }),
  );
});

it.each([
  [[1n, null, 2n, 2n], 'oldest-first'],
  [[2n, 2n, null, 1n], 'newest-first'],
  [[1n, 2n, 1n], undefined],
  [[1n, 1n, null], undefined],
  [[], undefined],
])('the way a history runs of %s is %s', (times, order) => {
  expect(orderOf(times)).toBe(order);
});

const period = { from: 10n, to: 20n };
it.each([
  [bounds(10n, 10n), 'within'],
  [bounds(19n, 19n), 'within'],
  [bounds(20n, 20n), 'outside'],
  [bounds(9n, 9n), 'outside'],
  [bounds(12n, 15n), 'within'],
  [bounds(null, 9n), 'outside'],
  [bounds(20n, null), 'outside'],
  [bounds(5n, 15n), 'unknown'],
  [bounds(15n, 25n), 'unknown'],
  [bounds(null, null), 'unknown'],
  [bounds(15n, null), 'unknown'],
])('a period judges %s as %s', (job, verdict) => {
  expect(classifyByPeriod(job, period)).toBe(verdict);
});

it('a period that is open on both sides takes in everything', () => {
  expect(classifyByPeriod(bounds(null, null), {})).toBe('within');
  expect(classifyByPeriod(bounds(null, null), { to: 10n })).toBe('unknown');
  expect(classifyByPeriod(bounds(null, 5n), { to: 10n })).toBe('within');
});

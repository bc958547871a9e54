import { expect, it } from 'vitest';
import {
  classifyWhen,
  dayTextOf,
  newerFirst,
  whenText,
  type When,
} from '../../../../src/model/times/when.js';

const at = (text: string): number => Date.parse(`${text}Z`);
const MARCH = { from: '2026-03-01', to: '2026-03-31' };

it("a job lies in a period from its first day's first moment to its last day's last", () => {
  expect(classifyWhen(at('2026-03-01T00:00'), MARCH)).toBe('within');
  expect(classifyWhen(at('2026-03-31T23:59:59.999'), MARCH)).toBe('within');
  expect(classifyWhen(at('2026-02-28T23:59:59.999'), MARCH)).toBe('outside');
  expect(classifyWhen(at('2026-04-01T00:00'), MARCH)).toBe('outside');
});

it("a job is judged by its bounds, and by nothing where they reach over the period's edge", () => {
  const bounds = (after: string | null, before: string | null): When => [
    after === null ? null : at(after),
    before === null ? null : at(before),
  ];
  expect(classifyWhen(bounds('2026-03-02T00:00', '2026-03-09T00:00'), MARCH)).toBe('within');
  expect(classifyWhen(bounds('2026-02-27T00:00', '2026-03-09T00:00'), MARCH)).toBe('unknown');
  expect(classifyWhen(bounds('2026-03-30T00:00', null), MARCH)).toBe('unknown');
  expect(classifyWhen(bounds(null, '2026-02-01T00:00'), MARCH)).toBe('outside');
  expect(classifyWhen(bounds('2026-04-02T00:00', null), MARCH)).toBe('outside');
  expect(classifyWhen(bounds(null, '2026-03-02T00:00'), { from: null, to: '2026-03-31' })).toBe(
    'within',
  );
  expect(classifyWhen(null, MARCH)).toBe('unknown');
  expect(classifyWhen(null, { from: null, to: null })).toBe('within');
});

it('when a job was asked is sorted by what is known of it, with what is quite unknown last', () => {
  const times: When[] = [null, 5, [1, 9], [7, null], [null, 2]];
  expect(times.toSorted(newerFirst)).toEqual([[1, 9], [7, null], 5, [null, 2], null]);
  const equal: When[] = [[null, 5], 5, [5, null], [3, 5]];
  expect(equal.toSorted(newerFirst)).toEqual([[5, null], 5, [null, 5], [3, 5]]);
});

it('when a job was asked is shown in UTC, with the bounds if there is no timestamp', () => {
  const [noon, one] = [at('2026-03-05T12:00'), at('2026-03-05T13:00')];
  expect(whenText(noon)).toBe('2026-03-05 12:00');
  expect(whenText([noon, one])).toBe('2026-03-05 12:00 – 13:00');
  const day = 86_400_000;
  expect(whenText([noon, noon + day])).toBe('2026-03-05 12:00 – 2026-03-06 12:00');
  expect(whenText([null, one])).toBe('before 2026-03-05 13:00');
  expect(whenText([noon, null])).toBe('after 2026-03-05 12:00');
  expect([whenText(null), whenText([null, null])]).toEqual(['', '']);
  const days = [noon, [noon, one], [noon, noon + day], [null, one], null] as const;
  expect(days.map((when) => dayTextOf(when))).toEqual([
    ...['2026-03-05', '2026-03-05', '2026-03-05 – 2026-03-06', 'on or before 2026-03-05', ''],
  ]);
  expect(dayTextOf([noon, null])).toBe('on or after 2026-03-05');
  expect(whenText([at('2026-03-04T23:00'), noon])).toBe('2026-03-04 23:00 – 2026-03-05 12:00');
});

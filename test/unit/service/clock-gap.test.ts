import { expect, it } from 'vitest';
import {
  clockGapMs,
  clockGapText,
  earlierNowMs,
  isClockConfirmed,
  largerGapMs,
} from '../../../src/service/clock-gap.js';

const DATE = Date.UTC(2026, 10, 22, 3, 0, 0);

it.each([
  ['asked and heard within the second', 0, 999, 0],
  ['asked before and heard long after', -30_000, 60_000, 0],
  ['asked after the second was over', 61_000, 62_000, 60_000],
  ['heard before the second began', -61_000, -60_000, -60_000],
])('%s: %i to %i ms after its Date is a gap of %3$i ms', (_what, asked, heard, gap) => {
  const answer = { dateMs: DATE, askedAtMs: DATE + asked, heardAtMs: DATE + heard };
  expect(clockGapMs(answer)).toBe(gap);
});

it('of the gaps of a run the one further from 0 counts, also after the clock was put right', () => {
  const gaps = [null, 0, -400_000, 300_000, 0] as const;
  expect(gaps.reduce((gap: number | null, next) => largerGapMs(gap, next ?? 0), null)).toBe(
    -400_000,
  );
});

it('a first answer that agrees is a gap of 0, not none; of two as far the earlier stays', () => {
  expect(largerGapMs(null, 0)).toBe(0);
  expect(largerGapMs(-300, 300)).toBe(-300);
});

it('a clock that a decision rests on is confirmed by a Date within five minutes either way', () => {
  expect([0, 300_000, -300_000].map(isClockConfirmed)).toEqual([true, true, true]);
  expect([300_001, -300_001].map(isClockConfirmed)).toEqual([false, false]);
});

it('a clock that a decision by time rests on is not confirmed where no answer had a Date', () => {
  expect(isClockConfirmed(null)).toBe(false);
});

it('of two clocks the earlier counts where something must be old enough by both', () => {
  expect(earlierNowMs(DATE, 3_600_000)).toBe(DATE - 3_600_000);
  expect([-3_600_000, 0, null].map((gap) => earlierNowMs(DATE, gap))).toEqual([DATE, DATE, DATE]);
});

it('a gap is told with its direction, and one within five minutes is not', () => {
  expect(clockGapText(3_600_000)).toBe("1 h 0 m ahead of the service's");
  expect(clockGapText(-3_600_000)).toBe("1 h 0 m behind the service's");
  expect([null, 0, 300_000, -300_000].map(clockGapText)).toEqual(Array(4).fill(undefined));
});

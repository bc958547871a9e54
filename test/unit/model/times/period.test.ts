import { describe, expect, it } from 'vitest';
import {
  absolutePeriod,
  absolutePeriodText,
  parseFrom,
  parseTo,
} from '../../../../src/model/times/period.js';

const NOW = Date.UTC(2026, 0, 31, 13, 45, 10, 250);

describe('The limit of a period', () => {
  it.each([
    ['today', '2026-01-31'],
    ['yesterday', '2026-01-30'],
    ['this-month', '2026-01'],
    ['last-month', '2025-12'],
    ['this-year', '2026'],
    ['last-year', '2025'],
    ['1d', '2026-01-30'],
    ['30d', '2026-01-01'],
    ['1y', '2025-01-30'],
    ['12h', '2026-01-31T01:45:10Z'],
    [' yesterday ', '2026-01-30'],
  ])('%s becomes %s', (given, absolute) => {
    expect(absolutePeriodText(given, NOW)).toBe(absolute);
    expect(parseFrom(absolute)).toBeTypeOf('bigint');
  });

  it.each([
    '2026',
    '2026-03',
    '2026-03-31',
    '2026-03-31T08:00:00Z',
    'soon',
    '30',
    '5m',
    '0d',
    '-1d',
  ])('%s stays as it is', (given) => {
    expect(absolutePeriodText(given, NOW)).toBe(given);
  });

  it.each([
    '2026-01-27T22:50Z',
    '2026-01-27T22:50',
    '2026-01-27 22:50 UTC',
    ' 2026-01-27t22:50z ',
    '2026-01-28T00:50+02:00',
    '2026-01-27T22:50:00Z',
  ])('is a time with or without seconds: %s', (given) => {
    const time = BigInt(Date.UTC(2026, 0, 27, 22, 50)) * 1000n;
    expect([parseFrom(given), parseTo(given)]).toEqual([time, time]);
  });

  it.each(['2026-01-27T22', '2026-01-27T25:50Z', '2026-02-30T22:50Z', '2026-01-27T22:50 CET'])(
    'is no time: %s',
    (given) => {
      expect([parseFrom(given), parseTo(given)]).toEqual([undefined, undefined]);
    },
  );

  it('becomes absolute in both limits, and a missing one stays missing', () => {
    const choice = { from: 'last-month', to: 'yesterday', match: 'yesterday' };
    expect(absolutePeriod(choice, NOW)).toEqual({ ...choice, from: '2025-12', to: '2026-01-30' });
    expect(absolutePeriod({ to: '2026' }, NOW)).toEqual({ from: undefined, to: '2026' });
  });

  it('so long ago that it was before 1970 stays, and is refused by the parser', () => {
    expect(absolutePeriodText('60y', NOW)).toBe('60y');
    expect(parseFrom('60y')).toBeUndefined();
    expect(parseTo('99999d')).toBeUndefined();
  });

  it('named last-month covers the month from its first to its last microsecond', () => {
    const month = absolutePeriodText('last-month', NOW);
    expect(parseFrom(month)).toBe(BigInt(Date.UTC(2025, 11, 1)) * 1000n);
    expect(parseTo(month)).toBe(BigInt(Date.UTC(2026, 0, 1)) * 1000n);
  });
});

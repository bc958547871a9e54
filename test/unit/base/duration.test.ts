import { expect, it } from 'vitest';
import { formatDuration, parseDuration } from '../../../src/base/units.js';

it.each([
  ['200ms', 200],
  ['30s', 30_000],
  ['5m', 300_000],
  ['2h', 7_200_000],
  ['30d', 2_592_000_000],
  ['1.5h', 5_400_000],
  [' 0s ', 0],
])('parseDuration reads "%s" as %i ms', (text, ms) => {
  expect(parseDuration(text)).toBe(ms);
});

it.each([1, 2, 3, 4, 7, 10])(
  'parseDuration takes %iy for no less than so many years of the calendar',
  (years) => {
    const ms = parseDuration(`${years}y`)!;
    for (const from of [2019, 2020, 2021, 2022]) {
      const calendar = Date.UTC(from + years, 1, 29) - Date.UTC(from, 1, 29);
      expect(ms - calendar).toBeGreaterThanOrEqual(0);
      expect(ms - calendar).toBeLessThanOrEqual(86_400_000);
    }
  },
);

it.each(['', '30', 's', '-5s', '5 s', '5S', '5min', '1h30m', '.5s', '1e3ms', '5constructor'])(
  'parseDuration takes "%s" for no duration',
  (text) => {
    expect(parseDuration(text)).toBeUndefined();
  },
);

it('parseDuration takes a duration beyond all reckoning for none, rather than for infinity', () => {
  expect(parseDuration(`${'9'.repeat(400)}d`)).toBeUndefined();
});

it.each([
  [0, '0 ms'],
  [812.4, '812 ms'],
  [999.4, '999 ms'],
  [999.6, '1.0 s'],
  [4200, '4.2 s'],
  [59_949, '59.9 s'],
  [59_960, '1 m 0 s'],
  [200_000, '3 m 20 s'],
  [3_599_400, '59 m 59 s'],
  [3_599_600, '1 h 0 m'],
  [7_500_000, '2 h 5 m'],
  [172_799_000, '47 h 59 m'],
  [180_000_000, '2 days 2 h'],
  [604_800_000, '7 days'],
])('formatDuration shows %f ms as %s', (ms, text) => {
  expect(formatDuration(ms)).toBe(text);
});

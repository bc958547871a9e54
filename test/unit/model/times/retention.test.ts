import { expect, it } from 'vitest';
import { parseRetention } from '../../../../src/model/times/retention.js';

it('reads durations, and days, months and years, which count to their end', () => {
  expect(parseRetention('7y')).toEqual({ forMs: 2557 * 86_400_000 });
  expect(parseRetention('90d')).toEqual({ forMs: 90 * 86_400_000 });
  expect(parseRetention('2033-12-31')).toEqual({ untilMs: Date.UTC(2033, 11, 31, 23, 59, 59) });
  expect(parseRetention('2033-11')).toEqual({ untilMs: Date.UTC(2033, 10, 30, 23, 59, 59) });
  expect(parseRetention('2033')).toEqual({ untilMs: Date.UTC(2033, 11, 31, 23, 59, 59) });
});

it.each([
  '',
  '7',
  'y',
  '0y',
  '0d',
  '-1y',
  '2033-02-30',
  '2033-13-01',
  '2033-13',
  '33',
  'last-month',
  '2033-12-31T00:00:00Z',
  '31.12.2033',
  '5000y',
])('refuses %j', (text) => {
  expect(parseRetention(text)).toBeUndefined();
});

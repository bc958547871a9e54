import { expect, it } from 'vitest';
import { counted, thousands } from '../../../../src/base/text/counted.js';

it.each([0, 7, 999, 1000, 12_345, 1_234_567, -45_000, 0.5, 1234.5678])(
  'a number is written as Intl writes it: %d',
  (count) => {
    expect(thousands(count)).toBe(count.toLocaleString('en-US'));
  },
);

it('a number agrees with what it counts', () => {
  expect(counted(1, 'job')).toBe('1 job');
  expect(counted(2000, 'job')).toBe('2,000 jobs');
});

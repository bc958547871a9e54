import { expect, it } from 'vitest';
import { timeOfUlid, ulid } from '../../../src/base/ulid.js';
import { seededRandom } from '../../support/store/archive-samples.js';

it('a ULID has the time of its creation, and no other text does', () => {
  for (const at of [0, 1, 1_469_918_176_385, 2 ** 48 - 1]) {
    const clock = { now: () => at, monotonic: () => 0, sleep: () => Promise.resolve() };
    expect(timeOfUlid(ulid(clock, seededRandom(at)))).toBe(at);
  }
  // the example of the specification
  expect(timeOfUlid('01ARYZ6S41TSV4RRFFQ69G5FAV')).toBe(1_469_918_176_385);
  for (const text of [
    '',
    '01ARYZ6S41',
    '81ARYZ6S41TSV4RRFFQ69G5FAV',
    '01ARYZ6S41TSV4RRFFQ69G5FAU',
  ]) {
    expect(timeOfUlid(text)).toBeUndefined();
  }
});

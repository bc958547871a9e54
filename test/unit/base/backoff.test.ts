import { expect, it } from 'vitest';
import { backoffMs, waitAsAsked } from '../../../src/base/backoff.js';
import { DEFAULT_TERMS } from '../../../src/base/terms.js';
import { fault } from '../../support/base/fault.js';

const drawing = (fraction: number) => ({
  random: { fraction: () => fraction, bytes: () => new Uint8Array() },
  terms: DEFAULT_TERMS,
});

it('backoffMs is anything between nothing and a cap that doubles up to 30 s', fault('F-6'), () => {
  expect(backoffMs(1, drawing(0))).toBe(0);
  expect([1, 2, 3, 20].map((attempt) => backoffMs(attempt, drawing(0.5)))).toEqual([
    250, 500, 1000, 15_000,
  ]);
});

it('a wait that is asked for is granted, but less than a second only once', fault('F-87'), () => {
  expect([0, 300, 7000].map((askedMs) => waitAsAsked(1, askedMs, 500))).toEqual([0, 300, 7000]);
  expect([0, 300, 999].map((askedMs) => waitAsAsked(2, askedMs, 500))).toEqual([500, 500, 999]);
  expect([1000, 7000].map((askedMs) => waitAsAsked(2, askedMs, 9000))).toEqual([1000, 7000]);
});

it('a wait that is asked for is our own where none is', () => {
  expect([1, 2].map((attempt) => waitAsAsked(attempt, null, 500))).toEqual([500, 500]);
});

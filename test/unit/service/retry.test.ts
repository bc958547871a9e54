import { expect, it } from 'vitest';
import {
  MalformedResponseError,
  NotFoundError,
  RateLimitedError,
  ServerFailureError,
  UnreachableError,
} from '../../../src/service/service-errors.js';
import { pauseAfter, waitBeforeRetry } from '../../../src/service/call.js';
import { DEFAULT_TERMS } from '../../../src/base/terms.js';
import { fault } from '../../support/base/fault.js';

const limits = { maxAttempts: 10, budgetMs: 60_000 };
const drawing = (fraction: number) => ({
  random: { fraction: () => fraction, bytes: () => new Uint8Array() },
  terms: DEFAULT_TERMS,
});
const highest = drawing(0.999999);
const lowest = drawing(0);
const first = { attempts: 1, waitedMs: 0, isRepeatable: true };
const facts = { operation: 'x', attempts: 1, externalTraceId: 't', redact: (text: string) => text };
const failed = (retryAfterMs: number | null = null): ServerFailureError =>
  new ServerFailureError('failed', { ...facts, retryAfterMs });
const limited = (retryAfterMs: number | null = null): RateLimitedError =>
  new RateLimitedError('limited', { ...facts, retryAfterMs });

it(
  'the wait before another attempt doubles, is capped, and may be anything down to nothing',
  fault('F-6'),
  () => {
    const waits = [1, 2, 3, 4, 7, 8, 9].map((attempts) =>
      Math.round(waitBeforeRetry(failed(), { ...first, attempts }, limits, highest)!),
    );
    expect(waits).toEqual([500, 1000, 2000, 4000, 30_000, 30_000, 30_000]);
    expect(waitBeforeRetry(failed(), { ...first, attempts: 9 }, limits, lowest)).toBe(0);
  },
);

it(
  'the wait before another attempt is what the service asks for, where it asks',
  fault('F-5'),
  () => {
    expect(waitBeforeRetry(failed(7000), first, limits, lowest)).toBe(7000);
    expect(waitBeforeRetry(failed(0), first, limits, highest)).toBe(0);
  },
);

it(
  'the wait is nothing only once: an answer that always says at once does not end all waiting',
  fault('F-87'),
  () => {
    const waits = (askedMs: number | null) =>
      [1, 2, 3, 4].map((attempts) =>
        Math.round(waitBeforeRetry(failed(askedMs), { ...first, attempts }, limits, highest)!),
      );
    expect(waits(0)).toEqual([0, 1000, 2000, 4000]);
    expect(waits(999)).toEqual([999, 1000, 2000, 4000]);
    expect(waits(1500)).toEqual([1500, 1500, 1500, 1500]);
    expect(waitBeforeRetry(failed(999), { ...first, attempts: 2 }, limits, lowest)).toBe(999);
    expect(waitBeforeRetry(limited(0), { ...first, attempts: 2 }, limits, lowest)).toBe(1000);
  },
);

it('the wait is a second at least when too many requests were sent and nobody says how long', () => {
  expect(waitBeforeRetry(limited(), first, limits, lowest)).toBe(1000);
  expect(waitBeforeRetry(limited(100), first, limits, highest)).toBe(100);
});

it('another attempt is not made when its wait would exceed the budget', fault('F-5'), () => {
  expect(waitBeforeRetry(failed(60_001), first, limits, lowest)).toBeUndefined();
  const tired = { ...first, waitedMs: 59_000 };
  expect(waitBeforeRetry(failed(1001), tired, limits, lowest)).toBeUndefined();
  expect(waitBeforeRetry(failed(1000), tired, limits, lowest)).toBe(1000);
});

it('another attempt is not made after the last', () => {
  expect(waitBeforeRetry(failed(), { ...first, attempts: 10 }, limits, lowest)).toBeUndefined();
});

it('another attempt is not made where the answer will not change', () => {
  const error = new NotFoundError('gone', facts);
  expect(waitBeforeRetry(error, first, limits, lowest)).toBeUndefined();
});

it('another attempt is made of a POST only where nothing can have happened', () => {
  const post = { ...first, isRepeatable: false };
  const down = (mayHaveHappened: boolean): UnreachableError =>
    new UnreachableError('down', { ...facts, mayHaveHappened });
  expect(waitBeforeRetry(limited(), post, limits, lowest)).toBe(1000);
  expect(waitBeforeRetry(down(false), post, limits, lowest)).toBe(0);
  expect(waitBeforeRetry(down(true), post, limits, lowest)).toBeUndefined();
  expect(waitBeforeRetry(failed(), post, limits, lowest)).toBeUndefined();
});

it('another attempt is given up soon if waiting seldom helps', () => {
  const page = new MalformedResponseError('a login page', { ...facts, retries: 'brief' });
  expect(waitBeforeRetry(page, { ...first, attempts: 2 }, limits, lowest)).toBe(0);
  expect(waitBeforeRetry(page, { ...first, attempts: 3 }, limits, lowest)).toBeUndefined();
});

it('the pause is what was asked for, a second by default, and never beyond the budget', () => {
  expect(pauseAfter(limited(2000), 1, limits)).toBe(2000);
  expect(pauseAfter(limited(), 1, limits)).toBe(1000);
  expect(pauseAfter(limited(86_400_000), 1, limits)).toBe(60_000);
});

it('the pause of everybody is nothing only once', fault('F-87'), () => {
  expect([1, 2, 3].map((attempts) => pauseAfter(limited(0), attempts, limits))).toEqual([
    0, 1000, 1000,
  ]);
});

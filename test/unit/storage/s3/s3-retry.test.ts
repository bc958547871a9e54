import { expect, it } from 'vitest';
import { jitteredRetries } from '../../../../src/storage/s3/s3-retries.js';
import { fault } from '../../../support/base/fault.js';

const random = { fraction: () => 0.5, bytes: (length: number) => new Uint8Array(length) };

function failure(name: string, errorType: string) {
  return {
    error: Object.assign(new Error(name), { name, $metadata: {} }),
    errorType,
  };
}

it(
  'tries again what fails for a moment, ever later, and in the end gives up',
  fault('F-31'),
  async () => {
    const strategy = jitteredRetries(random, { monotonic: () => 0 });
    const delays: number[] = [];
    let token = await strategy.acquireInitialRetryToken();
    for (;;) {
      try {
        token = await strategy.refreshRetryTokenForRetry(token, failure('SlowDown', 'THROTTLING'));
      } catch {
        break;
      }
      delays.push(token.getRetryDelay());
    }
    expect(delays).toHaveLength(15);
    expect(delays.slice(0, 4)).toEqual([100, 200, 400, 800]);
    expect(Math.max(...delays)).toBe(5000);
    // an outage of half a minute is ridden out even where jitter halves every wait
    expect(delays.reduce((sum, delay) => sum + delay)).toBeGreaterThan(30_000);
  },
);

it.each(['ConditionalRequestConflict', 'ConcurrentModification', 'BadDigest', 'InternalError'])(
  'tries %s again, although it is called the fault of the client',
  async (name) => {
    const strategy = jitteredRetries(random, { monotonic: () => 0 });
    const first = await strategy.acquireInitialRetryToken();
    const next = await strategy.refreshRetryTokenForRetry(first, failure(name, 'CLIENT_ERROR'));
    expect(next.getRetryCount()).toBe(1);
  },
);

it.each(['AccessDenied', 'NoSuchBucket', 'InvalidAccessKeyId', 'PermanentRedirect'])(
  'does not try %s again',
  async (name) => {
    const strategy = jitteredRetries(random, { monotonic: () => 0 });
    const first = await strategy.acquireInitialRetryToken();
    const info = failure(name, 'CLIENT_ERROR');
    await expect(strategy.refreshRetryTokenForRetry(first, info)).rejects.toThrow();
  },
);

it('does not ask a store again for what it cannot do', async () => {
  const strategy = jitteredRetries(random, { monotonic: () => 0 });
  const first = await strategy.acquireInitialRetryToken();
  const info = failure('NotImplemented', 'SERVER_ERROR');
  await expect(strategy.refreshRetryTokenForRetry(first, info)).rejects.toThrow();
});

it('says what is tried again once it has failed for seconds, and not with every attempt', async () => {
  let nowMs = 0;
  const told: string[] = [];
  const strategy = jitteredRetries(random, { monotonic: () => nowMs }, (error, attempts) =>
    told.push(`${nowMs}: ${(error as Error).name}, ${attempts}`),
  );
  const refused = failure('ECONNREFUSED', 'TRANSIENT');
  const failing = async () => {
    let token = await strategy.acquireInitialRetryToken();
    return async (atMs: number) => {
      nowMs = atMs;
      token = await strategy.refreshRetryTokenForRetry(token, refused);
    };
  };
  const [one, another] = [await failing(), await failing()];
  for (const atMs of [1000, 4999, 5000, 6000]) await one(atMs);
  for (const atMs of [6000, 9999, 10_000]) await another(atMs);
  expect(told).toEqual(['5000: ECONNREFUSED, 3', '10000: ECONNREFUSED, 3']);
});

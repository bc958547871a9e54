import fc from 'fast-check';
import { expect, it } from 'vitest';
import { RateLimiter } from '../../src/service/pace/pace.js';
import { FakeClock } from '../support/base/fake-clock.js';

const MOST_JITTER_MS = 25;

it('no second sees more than the rate, whenever callers come and however late timers wake', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.integer({ min: 2, max: 50 }),
      fc.array(fc.integer({ min: 0, max: 4000 }), { minLength: 1, maxLength: 200 }),
      fc.integer({ min: 0, max: MOST_JITTER_MS }),
      async (rate, arrivals, lateMs) => {
        const clock = new FakeClock();
        const limiter = new RateLimiter({
          rate,
          clock: {
            now: () => clock.now(),
            monotonic: () => clock.monotonic(),
            sleep: (ms, signal) => clock.sleep(ms + lateMs, signal),
          },
        });
        const sent: number[] = [];
        const callers = arrivals.map(async (atMs) => {
          await clock.sleep(atMs);
          await limiter.acquire();
          sent.push(clock.monotonic());
        });
        await clock.advance(4000 + arrivals.length * (1040 / rate + lateMs) + 1000);
        await Promise.all(callers);
        for (const start of sent) {
          const inSecond = sent.filter((at) => at >= start && at < start + 1000);
          expect(inSecond.length).toBeLessThanOrEqual(rate);
        }
      },
    ),
    { numRuns: 60 },
  );
});

it('no second sees more than the rate, however the network holds up requests and answers', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.integer({ min: 2, max: 40 }),
      fc.integer({ min: 0, max: 400 }),
      fc.array(fc.tuple(fc.nat(50), fc.nat(50)), { minLength: 10, maxLength: 40 }),
      async (rate, shortestMs, holdUps) => {
        const clock = new FakeClock();
        const limiter = new RateLimiter({ rate, clock });
        const arrived: number[] = [];
        // how soon an answer can come must be known before one can be late
        await limiter.acquire();
        limiter.answered(0, shortestMs);
        await clock.advance(5000);
        let next = 0;
        const callers = Array.from({ length: rate * 6 }, async () => {
          await limiter.acquire();
          const sentAtMs = clock.monotonic();
          const [out, back] = holdUps[next++ % holdUps.length] ?? [0, 0];
          arrived.push(sentAtMs + shortestMs / 2 + out);
          await clock.sleep(shortestMs + out + back);
          limiter.answered(sentAtMs, clock.monotonic());
        });
        await clock.advance(10_000);
        await Promise.all(callers);
        for (const start of arrived) {
          const inSecond = arrived.filter((at) => at >= start && at < start + 1000);
          expect(inSecond.length).toBeLessThanOrEqual(rate);
        }
        expect(Math.max(...arrived)).toBeLessThanOrEqual(5000 + 6 * 1105 + shortestMs + 100);
      },
    ),
    { numRuns: 60 },
  );
});

it('no second sees more than the rate, however long the first requests wait for a connection', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.integer({ min: 10, max: 40 }),
      fc.integer({ min: 0, max: 250 }),
      fc.array(fc.nat(700), { minLength: 1, maxLength: 8 }),
      async (rate, tookMs, connectMs) => {
        const clock = new FakeClock();
        const limiter = new RateLimiter({ rate, clock });
        const arrived: number[] = [];
        let next = 0;
        const callers = Array.from({ length: rate * 4 }, async () => {
          await limiter.acquire();
          const sentAtMs = clock.monotonic();
          const outMs = (connectMs[next++] ?? 0) + tookMs / 2;
          arrived.push(sentAtMs + outMs);
          await clock.sleep(outMs + tookMs / 2);
          limiter.answered(sentAtMs, clock.monotonic());
        });
        await clock.advance(10_000);
        await Promise.all(callers);
        for (const start of arrived) {
          const inSecond = arrived.filter((at) => at >= start && at < start + 1000);
          expect(inSecond.length).toBeLessThanOrEqual(rate);
        }
        expect(Math.max(...arrived)).toBeLessThanOrEqual(4 * 1050 + 1700 + tookMs);
      },
    ),
    { numRuns: 60 },
  );
});

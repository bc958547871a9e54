import fc from 'fast-check';
import { expect, it } from 'vitest';
import { RateLimiter } from '../../src/service/pace/rate-limiter.js';
import { FakeClock } from '../support/fake-clock.js';

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

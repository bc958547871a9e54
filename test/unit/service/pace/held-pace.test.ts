import { expect, it } from 'vitest';
import { HeldPace, RateLimiter } from '../../../../src/service/pace/pace.js';
import { FakeClock } from '../../../support/base/fake-clock.js';

const INTERVAL = 250; // at 4 a second

async function after<T>(clock: FakeClock, ms: number, asked: Promise<T>): Promise<T> {
  await clock.advance(ms);
  return asked;
}

it('requests held together wait for the rate once, before the first; others as usual', async () => {
  const clock = new FakeClock();
  const limiter = new RateLimiter({ clock, rate: 4 });
  const held = new HeldPace(limiter, 5, 3);
  const sent: number[] = [];
  const all = (async () => {
    for (let n = 0; n < 6; n++) {
      await held.acquire();
      sent.push(clock.monotonic());
      held.answered(clock.monotonic(), clock.monotonic());
    }
    await limiter.acquire();
    sent.push(clock.monotonic());
  })();
  await after(clock, 10_000, all);
  const together = 1005; // two were sent before: there is room for three a second after the first
  expect(sent).toEqual([0, INTERVAL, together, together, together, together + INTERVAL, 2010]);
});

it('requests that go out together count down from what was announced', async () => {
  const clock = new FakeClock();
  const held = new HeldPace(new RateLimiter({ clock, rate: 4 }), 2, 3);
  expect(held.left).toBe(2);
  await held.acquire();
  expect(held.left).toBe(1);
  await held.close();
  expect(held.left).toBe(0);
});

it('requests that go out together let others through as soon as they are given up', async () => {
  const clock = new FakeClock();
  const limiter = new RateLimiter({ clock, rate: 4 });
  const held = new HeldPace(limiter, 3, 3);
  await held.acquire();
  const other = limiter.acquire().then(() => clock.monotonic());
  await clock.advance(5000);
  await held.close();
  expect(await after(clock, 2000, other)).toBe(5000 + INTERVAL);
});

import { describe, expect, it } from 'vitest';
import { RateLimiter } from '../../../../src/service/pace/pace.js';
import { FakeClock } from '../../../support/base/fake-clock.js';

/** Sends one, which is answered at once; when, in milliseconds. */
async function send(limiter: RateLimiter, clock: FakeClock): Promise<number> {
  await limiter.acquire();
  const atMs = clock.monotonic();
  limiter.answered(atMs, atMs);
  return atMs;
}

/** Sends `count` requests as fast as the limiter allows; milliseconds at which each went out. */
async function sendMany(
  limiter: RateLimiter,
  clock: FakeClock,
  options: { readonly count: number; readonly forMs: number },
): Promise<number[]> {
  const sent: number[] = [];
  const all = Array.from({ length: options.count }, async () => {
    sent.push(await send(limiter, clock));
  });
  await clock.advance(options.forMs);
  await Promise.all(sent.length === options.count ? all : []);
  return sent;
}

function mostInAnySecond(sent: readonly number[]): number {
  return Math.max(
    ...sent.map((start) => sent.filter((at) => at >= start && at < start + 1000).length),
  );
}

it.each([1, 5, 20, 100])(
  'the rate limiter lets through at most %i a second, and at least 98 %% of it',
  async (rate) => {
    const clock = new FakeClock();
    const limiter = new RateLimiter({ clock, rate });
    const sent = await sendMany(limiter, clock, { count: rate * 60, forMs: 50_000 });
    expect(mostInAnySecond(sent)).toBeLessThanOrEqual(rate);
    expect(sent.length / 50).toBeGreaterThanOrEqual(rate * 0.98);
  },
);

it('the rate limiter lets the first through at once and spaces the others evenly', async () => {
  const clock = new FakeClock();
  const sent = await sendMany(new RateLimiter({ clock, rate: 20 }), clock, {
    count: 4,
    forMs: 1000,
  });
  expect(sent).toEqual([0, 50, 100, 150]);
});

it('the rate limiter works for less than one request a second', async () => {
  const clock = new FakeClock();
  const sent = await sendMany(new RateLimiter({ clock, rate: 0.5 }), clock, {
    count: 3,
    forMs: 9000,
  });
  expect(sent).toEqual([0, 2005, 4010]);
});

it('the rate limiter saves nothing up while it is idle', async () => {
  const clock = new FakeClock();
  const limiter = new RateLimiter({ clock, rate: 20 });
  await limiter.acquire();
  await clock.advance(60_000);
  const sent = await sendMany(limiter, clock, { count: 40, forMs: 5000 });
  expect(mostInAnySecond(sent)).toBeLessThanOrEqual(20);
});

it('the rate limiter makes up for a timer that wakes late, without ever exceeding the rate', async () => {
  const clock = new FakeClock();
  const late = Object.assign(Object.create(clock) as FakeClock, {
    monotonic: () => clock.monotonic(),
    sleep: (ms: number, signal?: AbortSignal) => clock.sleep(ms + 4, signal),
  });
  const limiter = new RateLimiter({ clock: late, rate: 20 });
  const sent = await sendMany(limiter, clock, { count: 500, forMs: 20_000 });
  expect(sent.length / 20).toBeGreaterThanOrEqual(19.4);
  expect(mostInAnySecond(sent)).toBeLessThanOrEqual(20);
});

it('the limiter sends the next as much later as an answer is late, and no more than 100 ms', async () => {
  const clock = new FakeClock();
  const limiter = new RateLimiter({ clock, rate: 1 });
  const sent: number[] = [];
  const sending = (async () => {
    for (const tookMs of [10, 40, 400, 10]) {
      await limiter.acquire();
      const atMs = clock.monotonic();
      sent.push(atMs);
      limiter.answered(atMs, atMs + tookMs);
    }
  })();
  await clock.advance(5000);
  await sending;
  expect(sent).toEqual([0, 1005, 2040, 3140]);
});

it('the limiter leaves more room while the quickest answers differ: a quicker one may come', async () => {
  const clock = new FakeClock();
  const limiter = new RateLimiter({ clock, rate: 4 });
  const sent: number[] = [];
  const sending = (async () => {
    for (const tookMs of [50, 80, 90, 100, 50]) {
      await limiter.acquire();
      sent.push(clock.monotonic());
      limiter.answered(clock.monotonic(), clock.monotonic() + tookMs);
    }
  })();
  await clock.advance(5000);
  await sending;
  expect(sent).toEqual([0, 250, 500, 750, 1040]);
});

it('the rate limiter holds a request whose answer has not begun for as late as it may be', async () => {
  const clock = new FakeClock();
  const limiter = new RateLimiter({ clock, rate: 1 });
  await send(limiter, clock);
  const second = limiter.acquire();
  const third = limiter.acquire().then(() => clock.monotonic());
  await clock.advance(4000);
  await second;
  expect(await third).toBe(2105);
});

it('the rate limiter serves callers in the order in which they came', async () => {
  const clock = new FakeClock();
  const limiter = new RateLimiter({ clock, rate: 10 });
  const order: number[] = [];
  for (let i = 0; i < 5; i++) void limiter.acquire().then(() => order.push(i));
  await clock.advance(1000);
  expect(order).toEqual([0, 1, 2, 3, 4]);
});

it('the limiter drops a caller that gives up, first or further back; others move up', async () => {
  const clock = new FakeClock();
  const limiter = new RateLimiter({ clock, rate: 1 });
  await send(limiter, clock);
  const [head, middle] = [new AbortController(), new AbortController()];
  const given = [head, middle].map(({ signal }) =>
    limiter.acquire(signal).catch((e: unknown) => e),
  );
  let served = -1;
  void limiter.acquire().then(() => (served = clock.monotonic()));
  await clock.advance(500);
  middle.abort('second thoughts');
  head.abort('changed my mind');
  expect(await Promise.all(given)).toEqual(['changed my mind', 'second thoughts']);
  await clock.advance(1000);
  expect(served).toBe(1005);
  expect(clock.sleeping).toBe(0);
});

it('the rate limiter refuses a caller whose signal is aborted already, without using up a turn', async () => {
  const clock = new FakeClock();
  const limiter = new RateLimiter({ clock, rate: 1 });
  await expect(limiter.acquire(AbortSignal.abort('no'))).rejects.toBe('no');
  const sent = await sendMany(limiter, clock, { count: 1, forMs: 0 });
  expect(sent).toEqual([0]);
});

describe('rate limiter', () => {
  /** Sends so many requests together, 10 ms apart, and between two such groups one of somebody else. */
  async function sendGroups(limiter: RateLimiter, clock: FakeClock, size: number) {
    const sent: number[] = [];
    const all = (async () => {
      for (let group = 0; group < 8; group++) {
        const release = await limiter.hold(size);
        for (let n = 0; n < size; n++) {
          sent.push(clock.monotonic());
          if (n < size - 1) await clock.sleep(10);
        }
        release();
        release();
        await limiter.acquire();
        sent.push(clock.monotonic());
      }
    })();
    await clock.advance(60_000);
    await all;
    return sent;
  }

  it.each([
    [20, 1],
    [20, 3],
    [20, 20],
    [5, 3],
    [100, 7],
  ])('a held limiter exceeds %i a second by none, for %i together', async (rate, size) => {
    const clock = new FakeClock();
    const sent = await sendGroups(new RateLimiter({ clock, rate }), clock, size);
    expect(sent).toHaveLength(8 * (size + 1));
    expect(mostInAnySecond(sent)).toBeLessThanOrEqual(rate);
  });

  it('a held limiter lets nobody else through until its release, then at the usual distance', async () => {
    const clock = new FakeClock();
    const limiter = new RateLimiter({ clock, rate: 20 });
    const release = await limiter.hold(3);
    const sent: number[] = [];
    const other = limiter.acquire().then(() => sent.push(clock.monotonic()));
    await clock.advance(1000);
    expect(sent).toEqual([]);
    release();
    await clock.advance(1000);
    await other;
    expect(sent).toEqual([1050]);
  });

  it('a held limiter is free again if the caller that wanted to hold it gives up', async () => {
    const clock = new FakeClock();
    const limiter = new RateLimiter({ clock, rate: 1 });
    await send(limiter, clock);
    const giving = new AbortController();
    const held = limiter.hold(3, giving.signal).catch((error: unknown) => error);
    giving.abort('enough');
    expect(await held).toBe('enough');
    expect(await sendMany(limiter, clock, { count: 1, forMs: 2000 })).toEqual([1005]);
  });
});

it('a refusal lets no caller through until the pause is over, not even the next one', async () => {
  const clock = new FakeClock();
  const limiter = new RateLimiter({ clock, rate: 20 });
  await limiter.acquire();
  const waiting = sendMany(limiter, clock, { count: 3, forMs: 4000 });
  limiter.slowDown(2000, 0);
  expect((await waiting)[0]).toBe(2000);
});

it.each([
  [3000, 1000],
  [1000, 3000],
])(
  'the rate limiter after a refusal keeps the longer of two pauses, of %i and then of %i ms',
  async (first, second) => {
    const clock = new FakeClock();
    const limiter = new RateLimiter({ clock, rate: 20 });
    limiter.slowDown(first, 0);
    limiter.slowDown(second, 0);
    expect(await sendMany(limiter, clock, { count: 1, forMs: 5000 })).toEqual([3000]);
  },
);

it('the rate limiter after a refusal goes on at 70 % and comes back step by step', async () => {
  const clock = new FakeClock();
  const limiter = new RateLimiter({ clock, rate: 20 });
  const full = limiter.currentRate;
  limiter.slowDown(1000, 0);
  await clock.advance(1000);
  expect(limiter.currentRate).toBeCloseTo(full * 0.7);
  await clock.advance(2000);
  expect(limiter.currentRate).toBeCloseTo(full * 0.8);
  await clock.advance(60_000);
  expect(limiter.currentRate).toBe(full);
});

it('a refusal cuts the rate once for all refusals of a burst, and again for the next', async () => {
  const clock = new FakeClock();
  const limiter = new RateLimiter({ clock, rate: 20 });
  const full = limiter.currentRate;
  for (let i = 0; i < 10; i++) limiter.slowDown(1000, 0);
  expect(limiter.currentRate).toBeCloseTo(full * 0.7);
  await clock.advance(1000);
  limiter.slowDown(1000, clock.monotonic());
  expect(limiter.currentRate).toBeCloseTo(full * 0.49);
});

it('the rate limiter after a refusal never slows below a tenth', async () => {
  const clock = new FakeClock();
  const limiter = new RateLimiter({ clock, rate: 20 });
  const full = limiter.currentRate;
  for (let i = 0; i < 50; i++) {
    limiter.slowDown(10, clock.monotonic());
    await clock.advance(10);
  }
  expect(limiter.currentRate).toBeCloseTo(full * 0.1);
});

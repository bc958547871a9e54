import { afterEach, expect, it, vi } from 'vitest';
import { nowMicros, systemClock } from '../../../src/base/runtime.js';
import { FakeClock } from '../../support/base/fake-clock.js';

const delays = vi.hoisted(() => ({ asked: [] as number[] }));
vi.mock('node:timers/promises', () => ({
  setTimeout: (ms: number, _value: unknown, { signal }: { signal?: AbortSignal }) => {
    delays.asked.push(ms);
    return new Promise<void>((resolve, reject) => {
      if (!signal) resolve();
      signal?.addEventListener('abort', () => reject(new Error("the timer's own error")));
    });
  },
}));

afterEach(() => {
  delays.asked.length = 0;
});

it('sleep sets no timer when there is nothing to wait for', async () => {
  await systemClock.sleep(0);
  await systemClock.sleep(-5);
  expect(delays.asked).toEqual([]);
});

it('sleep waits 30 days in pieces, since one long timer would fire at once', async () => {
  const days = 30 * 86_400_000;
  await systemClock.sleep(days);
  expect(delays.asked).toHaveLength(2);
  expect(Math.max(...delays.asked)).toBeLessThan(2 ** 31);
  expect(delays.asked.reduce((sum, ms) => sum + ms, 0)).toBe(days);
});

it('sleep ends with the reason of its signal, not with an error of the timer', async () => {
  const stop = new AbortController();
  const asleep = systemClock.sleep(1000, stop.signal);
  const reason = new Error('enough');
  stop.abort(reason);
  await expect(asleep).rejects.toBe(reason);
});

it('sleep does not begin when its signal is aborted already', async () => {
  const reason = new Error('enough');
  await expect(systemClock.sleep(1000, AbortSignal.abort(reason))).rejects.toBe(reason);
  expect(delays.asked).toEqual([]);
});

it('the monotonic clock never goes back', () => {
  const readings = Array.from({ length: 100 }, () => systemClock.monotonic());
  expect(readings.toSorted((a, b) => a - b)).toEqual(readings);
});

it('wall time in microseconds is a whole number of milliseconds', () => {
  expect(nowMicros(new FakeClock(1_731_664_566_379.9))).toBe(1_731_664_566_379_000n);
});

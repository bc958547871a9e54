import { expect, it } from 'vitest';
import { concurrently } from '../../../src/base/concurrently.js';

it('the first failure stops a run at once, while other items are still under way', async () => {
  const stop = new AbortController();
  const failure = new Error('no');
  const told: string[] = [];
  const work = async (item: string): Promise<void> => {
    if (item === 'broken') throw failure;
    await new Promise((resolve) => {
      stop.signal.addEventListener('abort', resolve);
    });
    told.push(item);
  };
  const items = ['slow', 'broken', 'never begun'];
  await expect(concurrently(items, 2, work, stop)).rejects.toBe(failure);
  expect([stop.signal.reason, told]).toEqual([failure, ['slow']]);
});

it('a list that cannot be read on stops a run as an item does', async () => {
  const stop = new AbortController();
  const failure = new Error('no');
  async function* items(): AsyncGenerator<string> {
    yield await Promise.resolve('first');
    throw failure;
  }
  const work = () => Promise.resolve();
  await expect(concurrently(items(), 2, work, stop)).rejects.toBe(failure);
  expect(stop.signal.reason).toBe(failure);
});

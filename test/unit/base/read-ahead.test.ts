import { expect, it } from 'vitest';
import { numbers, readAhead } from '../../../src/base/concurrently.js';

async function all<T>(items: AsyncIterable<T>): Promise<T[]> {
  const read: T[] = [];
  for await (const item of items) read.push(item);
  return read;
}

it('reading ahead loads so many at a time, and gives them in order', async () => {
  const begun: number[] = [];
  const load = (n: number) => {
    begun.push(n);
    return Promise.resolve(n * 2);
  };
  const read = readAhead(numbers(1, 5), 3, load);
  expect(await read.next()).toEqual({ done: false, value: 2 });
  expect(begun).toEqual([1, 2, 3]);
  expect(await all(read)).toEqual([4, 6, 8, 10]);
  expect(await all(readAhead([7], 3, load))).toEqual([14]);
});

it('reading ahead gives an error in its turn', async () => {
  const load = (n: number) => (n === 2 ? Promise.reject(new Error('two')) : Promise.resolve(n));
  const read = readAhead([1, 2, 3], 3, load);
  expect((await read.next()).value).toBe(1);
  await expect(read.next()).rejects.toThrow('two');
});

it('reading ahead counts from the first to the last number', () => {
  expect([[...numbers(2, 4)], [...numbers(3, 3)], [...numbers(4, 3)]]).toEqual([
    [2, 3, 4],
    [3],
    [],
  ]);
});

import { expect, it } from 'vitest';
import { Background } from '../../../src/base/concurrently.js';

it('work begins at once while there is room, and then when other work has ended', async () => {
  const background = new Background(2);
  const begun: number[] = [];
  const ends: (() => void)[] = [];
  const begin = (number: number): Promise<void> =>
    background.begin(() => {
      begun.push(number);
      return new Promise((resolve) => ends.push(resolve));
    });
  await begin(1);
  await begin(2);
  const third = begin(3);
  await Promise.resolve();
  expect(begun).toEqual([1, 2]);
  ends[0]?.();
  await third;
  expect(begun).toEqual([1, 2, 3]);
  for (const end of ends) end();
  await background.finish();
});

it('work hands what it has thrown to who begins other work, and to who finishes', async () => {
  const background = new Background(1);
  await background.begin(() => Promise.reject(new Error('the disk is full')));
  await expect(background.begin(() => Promise.resolve())).rejects.toThrow('the disk is full');
  await background.settle();
  await expect(background.finish()).rejects.toThrow('the disk is full');
});

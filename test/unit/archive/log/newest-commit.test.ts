import { expect, it } from 'vitest';
import { newestCommitNumber } from '../../../../src/archive/log/commit-chain.js';
import { commitPath, manifestPath } from '../../../../src/archive/paths.js';
import type { Storage } from '../../../../src/storage/storage.js';
import { createMemoryStorage } from '../../../support/store/memory-storage.js';

async function withCommits(numbers: Iterable<number>): Promise<Storage> {
  const storage = createMemoryStorage();
  for (const number of numbers) await storage.put(commitPath(number), Buffer.of());
  return storage;
}

function upTo(newest: number): number[] {
  return Array.from({ length: newest }, (_, at) => at + 1);
}

it.each([0, 1, 255, 256, 257, 511, 512, 513, 767, 768, 769, 1792, 5000])(
  'the newest of %d commits is found, whatever lies beside them',
  async (newest) => {
    const storage = await withCommits(upTo(newest));
    await storage.put(manifestPath('jobs', newest + 1, 'f'.repeat(64)), Buffer.of());
    await storage.put('_commits/z.json', Buffer.of());
    expect(await newestCommitNumber(storage)).toBe(newest);
  },
);

it('of a log that has lost commits the newest is found, too', async () => {
  for (const numbers of [[3], [1, 300], [...upTo(600), 4000], [...upTo(300), 10 ** 12]]) {
    expect(await newestCommitNumber(await withCommits(numbers))).toBe(Math.max(...numbers));
  }
});

it('of a long log only the end is listed, in few requests', async () => {
  const storage = await withCommits(upTo(5000));
  let [requests, seen] = [0, 0];
  await newestCommitNumber({
    async *list(prefix, given) {
      requests++;
      for await (const object of storage.list(prefix, given)) {
        seen++;
        yield object;
      }
    },
  });
  expect(requests).toBeLessThan(15);
  expect(seen).toBeLessThan(800);
});

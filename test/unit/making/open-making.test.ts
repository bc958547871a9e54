/** What a program gets that makes a product of its own. */
import { expect, it } from 'vitest';
import { UsageError } from '../../../src/base/error.js';
import { OpenMaking } from '../../../src/making/open-making.js';
import { draft, makeArchive, session, userEntry } from '../../support/store/archive-samples.js';
import { createMemoryStorage } from '../../support/store/memory-storage.js';

async function archiveOfTwo() {
  const archive = await makeArchive(createMemoryStorage());
  const sessions = [session('ann', 'a'), session('ben', 'b')];
  await archive.log.append(draft({ sessions, users: [userEntry('ann'), userEntry('ben')] }));
  return archive;
}

it('conversations can be read again after a reader that stopped; nothing is left in the end', async () => {
  const [archive, target] = [await archiveOfTwo(), createMemoryStorage()];
  let released = 0;
  const release = async (): Promise<void> => {
    released++;
    await Promise.resolve();
  };
  const making = await OpenMaking.of({ archive, target, release });
  expect(making.users.map(({ user }) => user)).toEqual(['ann', 'ben']);
  for await (const { about } of making.conversations()) {
    expect(about.number).toBe(1);
    break;
  }
  const numbers: number[] = [];
  for await (const { about } of making.conversations()) numbers.push(about.number);
  expect(numbers).toEqual([1, 2]);
  expect(target.place.staged.size).toBeGreaterThan(0);
  await making.close();
  expect([target.place.staged.size, released]).toEqual([0, 1]);
});

it('caveats are the same whether conversations were read before, not at all or twice', async () => {
  const archive = await archiveOfTwo();
  const open = () => OpenMaking.of({ archive, target: createMemoryStorage() });
  await using unread = await open();
  await using read = await open();
  for (const round of [1, 2]) {
    for await (const { about } of read.conversations()) expect([round, about.jobs]).toBeDefined();
  }
  expect(await read.caveats()).toEqual(await unread.caveats());
});

it('a table that conversations do not have is refused', async () => {
  const archive = await archiveOfTwo();
  const options = { archive, target: createMemoryStorage(), tables: ['datasets' as never] };
  await expect(OpenMaking.of(options)).rejects.toThrow(UsageError);
});

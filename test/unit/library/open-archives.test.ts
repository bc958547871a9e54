import { expect, it } from 'vitest';
import { CallContext } from '../../../src/library/call-context.js';
import { OpenArchives } from '../../../src/library/open-archives.js';
import { makeJsonlArchive } from '../../support/store/archive-samples.js';
import { createMemoryStorage } from '../../support/store/memory-storage.js';

const { signal } = new AbortController();

/** Archives whose storages note that they were closed; the first one's fails in that. */
async function opened(isSame: boolean) {
  const closed: string[] = [];
  const contexts = new Map<string, CallContext>();
  for (const location of ['one', 'two', 'three']) {
    const archive = await makeJsonlArchive(createMemoryStorage());
    const close = (): Promise<void> => {
      closed.push(location);
      return location === 'one' ? Promise.reject(new Error('the disk is gone')) : Promise.resolve();
    };
    const storage = { ...archive.storage, location, close };
    const identity = { ...archive.identity, id: isSame ? 'same' : location };
    contexts.set(location, new CallContext({ ...archive, storage, identity }, signal, {}));
  }
  const archives = OpenArchives.of([...contexts.keys()], (location) =>
    Promise.resolve(contexts.get(location) as CallContext),
  );
  return { archives, closed };
}

it('all archives are closed although one of them cannot be, which is told', async () => {
  const { archives, closed } = await opened(false);
  await expect((await archives).close()).rejects.toThrow('the disk is gone');
  expect(closed).toEqual(['one', 'two', 'three']);
});

it('equal archives are refused for that, and all closed, although one cannot be', async () => {
  const { archives, closed } = await opened(true);
  await expect(archives).rejects.toThrow('one and two are the same archive');
  expect(closed).toEqual(['one', 'two', 'three']);
});

/** What intents of runs say is about to be deleted, whatever lies beside them. */
import { beforeEach, describe, expect, it } from 'vitest';
import type { Archive } from '../../../src/archive/archive.js';
import { addHolds } from '../../../src/archive/holds/change-holds.js';
import { writtenIntents } from '../../../src/archive/open-deletions.js';
import { intentPath, runLeasePath } from '../../../src/archive/paths.js';
import { silentLogger } from '../../../src/base/logger.js';
import type { RunId } from '../../../src/model/ids.js';
import { StorageError } from '../../../src/storage/storage-errors.js';
import { draft, makeArchive, runOf, session } from '../../support/store/archive-samples.js';
import { processes } from '../../support/store/begun-erasure.js';
import { createMemoryStorage, type MemoryStorage } from '../../support/store/memory-storage.js';

const RUN = runOf('R');

let storage: MemoryStorage;
let archive: Archive;
let told: { user?: string; session?: string; run?: string }[];
beforeEach(async () => {
  storage = createMemoryStorage();
  told = [];
  const warn = (facts: object) => void told.push(facts);
  const made = await makeArchive(storage);
  archive = { ...made, processes, logger: { ...silentLogger, warn } };
  await archive.log.append(draft({ sessions: [session('ann', 's'), session('ben', 't')] }));
});

const put = (path: string, text: string) => storage.put(path, Buffer.from(text));
const intend = (letter: string, of: unknown) => put(intentPath(runOf(letter)), JSON.stringify(of));
/** A lease that says nothing of its process: it may be alive. */
const atWork = (run: RunId) => put(runLeasePath(run), '{}');

async function written(from: Parameters<typeof writtenIntents>[0] = storage) {
  const found = [];
  for await (const intent of writtenIntents(from)) found.push(intent);
  return found;
}

it('the intents of an archive name their run and their session as they stand there', async () => {
  await intend('A', { run: RUN, user: 'ann', session: 's' });
  await intend('B', { run: 'no ulid', user: 7 });
  await intend('C', { run: 7 });
  await put('_intents/foreign.json', '{}');
  expect(await written()).toEqual([
    { path: intentPath(runOf('A')), run: RUN, subject: { user: 'ann', session: 's' } },
    { path: intentPath(runOf('B')), run: undefined, subject: { user: 7, session: undefined } },
    { path: intentPath(runOf('C')), run: undefined, subject: {} },
  ]);
});

it('the intents of an archive may be about anybody where they do not read as one', async () => {
  await put(intentPath(runOf('A')), '{"run":');
  expect(await written()).toEqual([
    { path: intentPath(runOf('A')), run: undefined, subject: undefined },
  ]);
});

it('intents are none where they have gone meanwhile, and unknown where the storage fails', async () => {
  await intend('A', { run: RUN, user: 'ann', session: 's' });
  await intend('B', { run: RUN, user: 'ben', session: 't' });
  const gone = intentPath(runOf('A'));
  const get = async (path: string) => {
    if (path === gone) await storage.delete(gone);
    return storage.get(path);
  };
  expect((await written({ ...storage, get })).map(({ subject }) => subject?.user)).toEqual(['ben']);
  const failure = new StorageError('no route');
  const failing = { ...storage, get: () => Promise.reject(failure) };
  await expect(written(failing)).rejects.toBe(failure);
});

describe('deletions under way', () => {
  const hold = () => addHolds(archive, { users: ['ann'], reason: 'Matter 7', by: 'Dana' });

  it('a hold tells of each of its sessions that a run may be deleting, and of no other', async () => {
    await intend('A', { run: RUN, user: 'ben', session: 't' });
    await intend('B', { run: RUN, user: 'ann', session: 's' });
    await intend('C', { run: RUN, user: 'ann', session: 'u' });
    await put(intentPath(runOf('D')), 'no JSON');
    await atWork(RUN);
    await hold();
    expect(told).toEqual([
      { user: 'ann', session: 's', run: RUN },
      { user: 'ann', session: 'u', run: RUN },
    ]);
  });

  it('a hold tells of none whose run has ended, or has no name', async () => {
    await intend('A', { run: RUN, user: 'ann', session: 's' });
    await intend('B', { run: 'no ulid', user: 'ann', session: 's' });
    await hold();
    expect(told).toEqual([]);
  });
});

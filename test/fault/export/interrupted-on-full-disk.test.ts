/** An interruption whose last checkpoint cannot be saved must not claim that it was. */
import { expect, it } from 'vitest';
import { startEmulator } from '../../../src/emulator/emulator.js';
import { StorageError } from '../../../src/storage/storage-errors.js';
import type { Storage } from '../../../src/storage/storage.js';
import { createMemoryStorage } from '../../support/store/memory-storage.js';
import { piecedExport } from '../../support/programs/pieced-export.js';

/** Takes everything but part files. */
function withoutRoomForTables(storage: Storage): Storage {
  const stage: Storage['stage'] = async (options) => {
    const staged = await storage.stage(options);
    const publish = (path: string) =>
      path.startsWith('tables/')
        ? Promise.reject(new StorageError('no space left on the device'))
        : staged.publish(path);
    return Object.assign(Object.create(staged) as typeof staged, {
      write: staged.write.bind(staged),
      close: staged.close.bind(staged),
      read: staged.read.bind(staged),
      discard: staged.discard.bind(staged),
      publish,
    });
  };
  return Object.assign(Object.create(storage) as Storage, { stage });
}

async function interrupted(storage: Storage) {
  const emulator = await startEmulator({ users: 1, sessions: 4, jobs: 4 });
  const stop = new AbortController();
  try {
    return await piecedExport({
      emulator,
      storage,
      users: emulator.state.userIds(),
      signal: stop.signal,
      observer: { jobArchived: () => stop.abort(new Error('stopped by SIGTERM')) },
    });
  } finally {
    await emulator.close();
  }
}

it('is told as a failure, with what hindered the saving', async () => {
  const { summary, error } = await interrupted(withoutRoomForTables(createMemoryStorage()));
  expect(summary).toMatchObject({ status: 'failed', commits: [] });
  expect(error).toBeInstanceOf(StorageError);
});

it('is told as an interruption where everything ready was saved', async () => {
  const { summary, error } = await interrupted(createMemoryStorage());
  expect(summary).toMatchObject({ status: 'interrupted', commits: [1] });
  expect(error).toBeUndefined();
});

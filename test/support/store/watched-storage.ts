/** Storages that call a test before or after their operations, so that the test can check or change something. */
import type { StagedObject, Storage } from '../../../src/storage/storage.js';

/** Calls `after` after each change, and continues when it resolves. */
export function watchedWrites(storage: Storage, after: () => Promise<void>): Storage {
  const watched = <A extends unknown[], R>(write: (...given: A) => Promise<R>) => {
    return async (...given: A): Promise<R> => {
      const result = await write(...given);
      await after();
      return result;
    };
  };
  return {
    ...storage,
    put: watched((path: string, bytes: Uint8Array) => storage.put(path, bytes)),
    putIfAbsent: watched((path: string, bytes: Uint8Array) => storage.putIfAbsent(path, bytes)),
    delete: watched((path: string) => storage.delete(path)),
    stage: async (): Promise<StagedObject> => {
      const staged = await storage.stage();
      return {
        ...staged,
        publish: watched((path: string) => staged.publish(path)),
      };
    },
  };
}

/** Calls `before` before each read, and continues when it resolves. */
export function watchedReads(storage: Storage, before: () => Promise<void>): Storage {
  return {
    ...storage,
    async get(path) {
      await before();
      return storage.get(path);
    },
    async stat(path) {
      await before();
      return storage.stat(path);
    },
    async *read(path, range) {
      await before();
      yield* storage.read(path, range);
    },
    async *list(prefix, given) {
      await before();
      for await (const object of storage.list(prefix, given)) {
        yield object;
        await before();
      }
    },
  };
}

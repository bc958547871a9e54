/** A simulated bucket: each operation is one step, durable at once, and its answer may get lost. */
import { StorageError } from '../../src/storage/storage-errors.js';
import type { StagedObject, Storage } from '../../src/storage/storage.js';
import { createMemoryStorage, type MemoryPlace } from '../support/store/memory-storage.js';
import type { SimPlace, StorageFaults } from './sim-place.js';
import type { SimProcess } from './sim-process.js';

/** Page size of a listing. */
const LISTED_AT_ONCE = 5;

export class SimBucket implements SimPlace {
  constructor(
    readonly place: MemoryPlace,
    readonly faults: StorageFaults,
  ) {}

  open(process: SimProcess, changed: (path: string) => void): Storage {
    const storage = createMemoryStorage(this.place);
    const change = async <T>(label: string, path: string, work: () => Promise<T>): Promise<T> => {
      await process.step(`${label} ${path}`);
      this.faults.strike(process, 'write');
      const result = await work();
      changed(path);
      await process.step(`${label} ${path} answered`);
      this.faults.strike(process, 'lost answer');
      return result;
    };
    const look = async <T>(label: string, path: string, work: () => Promise<T>): Promise<T> => {
      await process.step(`${label} ${path}`);
      return work();
    };
    return {
      location: storage.location,
      stage: async () => {
        const staged = await storage.stage();
        const publish: StagedObject['publish'] = (path) =>
          change('publish', path, () => staged.publish(path));
        return { ...staged, publish } satisfies StagedObject;
      },
      put: (path, bytes) => change('put', path, () => storage.put(path, bytes)),
      putIfAbsent: (path, bytes) =>
        change('put if absent', path, () => storage.putIfAbsent(path, bytes)),
      compareAndSwap: (path, seen, bytes) =>
        change('replace', path, () => storage.compareAndSwap(path, seen, bytes)),
      get: (path) => look('get', path, () => storage.get(path)),
      stat: (path) => look('stat', path, () => storage.stat(path)),
      async *read(path, range) {
        await process.step(`read ${path}`);
        yield* storage.read(path, range);
      },
      async *list(prefix, given) {
        await process.step(`list ${prefix}`);
        let listed = 0;
        for await (const object of storage.list(prefix, given)) {
          if (++listed % LISTED_AT_ONCE === 0) await process.step(`list more of ${prefix}`);
          yield object;
        }
      },
      delete: (path) => change('delete', path, () => storage.delete(path)),
      sweep: () => Promise.resolve(0),
      close: () => storage.close(),
    };
  }

  peek(): Storage {
    return createMemoryStorage(this.place);
  }

  objects(): Iterable<readonly [string, Uint8Array]> {
    return this.place.objects;
  }

  isDurable(path: string): boolean {
    return this.place.objects.has(path);
  }
}

export function lostAnswer(): StorageError {
  return new StorageError('the answer of the store was lost');
}

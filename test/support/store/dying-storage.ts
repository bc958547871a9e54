/** A storage whose process is killed at a step that the test chooses. */
import { systemProcesses, type Processes } from '../../../src/base/process-identity.js';
import { StorageError } from '../../../src/storage/storage-errors.js';
import type { StagedObject, Storage } from '../../../src/storage/storage.js';
import type { MemoryStorage } from './memory-storage.js';

/** What the next process finds of the one that was killed. */
export const everybodyElseIsDead: Processes = { self: systemProcesses.self, isDead: () => true };

/** Nothing is written any more after so many steps: as if the process had been killed there. */
export function dyingAfter(
  place: MemoryStorage,
  steps: number,
): Storage & { readonly isDead: () => boolean } {
  let taken = 0;
  const step = (): void => {
    if (++taken > steps) throw new StorageError('killed');
  };
  const written = <A extends unknown[], R>(write: (...given: A) => Promise<R>) => {
    return async (...given: A): Promise<R> => {
      step();
      return write(...given);
    };
  };
  return {
    ...place,
    isDead: () => taken > steps,
    put: written((path: string, bytes: Uint8Array) => place.put(path, bytes)),
    putIfAbsent: written((path: string, bytes: Uint8Array) => place.putIfAbsent(path, bytes)),
    compareAndSwap: written((path: string, seen: Uint8Array, bytes: Uint8Array) =>
      place.compareAndSwap(path, seen, bytes),
    ),
    delete: written((path: string) => place.delete(path)),
    stage: written(async (): Promise<StagedObject> => {
      const staged = await place.stage();
      return {
        ...staged,
        publish: written((path: string) => staged.publish(path)),
      };
    }),
  };
}

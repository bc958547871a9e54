/** New objects below a prefix of a bucket: nothing is there before, and nothing of what fails stays. */
import { UsageError } from '../../base/usage-error.js';
import { openStorage, type StorageOptions } from '../../storage/open-storage.js';
import type { Storage } from '../../storage/storage.js';

/**
 * A bucket cannot show all of it at once: what says that it is whole, `fill` writes last.
 *
 * @param place `s3://bucket/prefix` with nothing below it
 * @throws {UsageError} something is there
 * @throws {StorageError} it cannot be written
 * @throws what `fill` throws
 */
export async function makeWholePrefix<T>(
  place: string,
  options: StorageOptions,
  fill: (storage: Storage) => Promise<T>,
): Promise<T> {
  const storage = openStorage(place, options);
  try {
    for await (const { path } of storage.list('')) {
      throw new UsageError(`${place} is not empty (it has ${path}): name a new place`);
    }
    try {
      return await fill(storage);
    } catch (error) {
      // what goes wrong here hides nothing: the store may be away, and nothing says that it is whole
      await clear(storage).catch(() => undefined);
      throw error;
    }
  } finally {
    await storage.close();
  }
}

async function clear(storage: Storage): Promise<void> {
  for await (const { path } of storage.list('')) await storage.delete(path);
}

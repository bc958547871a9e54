/** Fills a new directory or a new bucket prefix; removes everything after a failure. */
import { UsageError } from '../base/error.js';
import {
  writeDirectoryAtomically,
  type EarlierDirectory,
  type Replaceable,
} from './local/whole-directory.js';
import { openStorage, schemeOf, type StorageOptions } from './open-storage.js';
import type { Storage } from './storage.js';

/**
 * A bucket cannot show all objects at once, so `fill` must write the object that marks the whole as complete last.
 *
 * @param place a directory, or `s3://bucket/prefix`, that is empty or not there
 * @param replaceable a directory that was made here before and may be replaced
 * @throws {UsageError} something else is there
 * @throws {StorageError} it cannot be written
 * @throws what `fill` throws
 */
export async function writeAtomically<T>(
  place: string,
  options: StorageOptions,
  fill: (storage: Storage, earlier?: EarlierDirectory) => Promise<T>,
  replaceable?: Replaceable,
): Promise<T> {
  const storage = await openStorage(place, options);
  if (schemeOf(place) === undefined) return writeDirectoryAtomically(place, fill, replaceable);
  try {
    for await (const { path } of storage.list('')) {
      throw new UsageError(`${place} is not empty (it has ${path}): name a new place`);
    }
    try {
      return await fill(storage);
    } catch (error) {
      // a failed cleanup is harmless: the object that marks the whole as complete is missing
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

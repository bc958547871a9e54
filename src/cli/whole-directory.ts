/** A new directory that appears whole or not at all: it is filled under another name beside its place. */
import { randomBytes } from 'node:crypto';
import { lstat, mkdir, open, readdir, rename, rm, rmdir } from 'node:fs/promises';
import { basename, dirname, join, resolve } from 'node:path';
import { codeOf, messageOf } from '../base/error.js';
import { UsageError } from '../base/usage-error.js';
import { localFailure } from '../storage/local-failure.js';
import { createLocalStorage } from '../storage/local-storage.js';
import type { Storage } from '../storage/storage.js';

/**
 * @param place must not be there, or be an empty directory
 * @throws {UsageError} something stands there
 * @throws {StorageError} it cannot be written
 * @throws what `fill` throws; nothing is left of it then
 */
export async function makeWholeDirectory<T>(
  place: string,
  fill: (storage: Storage) => Promise<T>,
): Promise<T> {
  const target = resolve(place);
  const wasThere = await clear(place, target);
  const suffix = randomBytes(6).toString('hex');
  const partial = join(dirname(target), `.${basename(target)}.${suffix}.partial`);
  const storage = createLocalStorage({ directory: partial });
  try {
    const made = await fill(storage);
    await storage.close();
    await moveTo(partial, target);
    return made;
  } catch (error) {
    await storage.close();
    // what goes wrong here hides nothing: the disk may be full, and the name says what it is
    await rm(partial, { recursive: true, force: true }).catch(() => undefined);
    if (wasThere) await mkdir(target).catch(() => undefined);
    throw error;
  }
}

/** Takes an empty directory out of the way, at once: a mounted one, say, would refuse in the end. */
async function clear(place: string, target: string): Promise<boolean> {
  try {
    const stats = await lstat(target);
    if (!stats.isDirectory()) {
      throw new UsageError(`${place} is there and is no directory: name a new one`);
    }
    if ((await readdir(target)).length > 0) {
      throw new UsageError(`${place} is not empty: name a new or an empty directory`);
    }
    await rmdir(target);
    return true;
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return false;
    if (error instanceof UsageError) throw error;
    throw new UsageError(
      `${place} cannot be replaced (${codeOf(error) ?? messageOf(error)}): name a new directory`,
      { cause: error },
    );
  }
}

async function moveTo(partial: string, target: string): Promise<void> {
  try {
    await rename(partial, target);
    const parent = await open(dirname(target), 'r');
    try {
      await parent.sync();
    } finally {
      await parent.close();
    }
  } catch (error) {
    throw localFailure('write', basename(target), dirname(target), error);
  }
}

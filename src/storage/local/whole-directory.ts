/** Makes a directory atomically: it is filled under another name and then renamed. */
import { randomBytes } from 'node:crypto';
import { lstat, mkdir, open, readdir, rename, rm, rmdir, mkdtemp } from 'node:fs/promises';
import { basename, dirname, join, resolve } from 'node:path';
import { codeOf, messageOf, UsageError } from '../../base/error.js';
import { localFailure } from './file-system.js';
import { createLocalStorage } from './local-storage.js';
import type { Storage } from '../storage.js';
import { tmpdir } from 'node:os';

/** How to recognize a directory that was made here before, and may be replaced. */
export interface Replaceable {
  /** A file that every such directory has. */
  readonly mark: string;
  /** The allowed names at its top; with any other name it is not replaced. */
  readonly entries: readonly string[];
}

/**
 * @param place must not be there, or be an empty directory, or one that may be replaced
 * @throws {UsageError} something else stands there
 * @throws {StorageError} it cannot be written
 * @throws what `fill` throws; nothing is left of it then
 */
export async function makeWholeDirectory<T>(
  place: string,
  fill: (storage: Storage) => Promise<T>,
  replaceable?: Replaceable,
): Promise<T> {
  const target = resolve(place);
  const suffix = randomBytes(6).toString('hex');
  const beside = join(dirname(target), `.${basename(target)}.${suffix}`);
  const partial = `${beside}.partial`;
  const earlier = (await isEarlier(target, replaceable)) ? `${beside}.replaced` : undefined;
  const wasThere = earlier === undefined && (await clear(place, target));
  const storage = createLocalStorage({ directory: partial, isOurs: true });
  try {
    const made = await fill(storage);
    await storage.close();
    if (earlier === undefined) await moveTo(partial, target);
    else await exchange(partial, target, earlier);
    return made;
  } catch (error) {
    // the first error matters more than a failed cleanup
    await storage.close().catch(() => undefined);
    await rm(partial, { recursive: true, force: true }).catch(() => undefined);
    if (wasThere) await mkdir(target).catch(() => undefined);
    throw error;
  }
}

async function isEarlier(target: string, replaceable: Replaceable | undefined): Promise<boolean> {
  if (!replaceable) return false;
  try {
    await lstat(join(target, replaceable.mark));
    const there = await readdir(target);
    return there.every((entry) => replaceable.entries.includes(entry));
  } catch {
    return false; // whatever is wrong with the place shows when it is made free
  }
}

/** Keeps the earlier directory until the new one is whole, and restores it if the rename fails. */
async function exchange(partial: string, target: string, earlier: string): Promise<void> {
  await moveTo(target, earlier);
  try {
    await moveTo(partial, target);
  } catch (error) {
    await rename(earlier, target).catch(() => undefined);
    throw error;
  }
  await rm(earlier, { recursive: true, force: true });
}

/** Removes an empty directory before the work: a mount point, for example, would refuse at the end. */
async function clear(place: string, target: string): Promise<boolean> {
  try {
    const stats = await lstat(target);
    if (!stats.isDirectory()) {
      throw new UsageError(`${place} is not a directory: name a new one`);
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

/** A temporary directory that only this user can read. */

export interface TemporaryDirectory {
  readonly path: string;
  /** The directory as a storage. */
  readonly storage: Storage;
  /** Removes the directory with its contents. */
  remove(): Promise<void>;
}

/** @param parent default: the system's temporary directory. @throws {StorageError} it cannot be made there */
export async function makeTemporaryDirectory(parent = tmpdir()): Promise<TemporaryDirectory> {
  const place = resolve(parent);
  const path = await mkdtemp(join(place, 'jobvault-')).catch((error: unknown) => {
    throw localFailure('write', 'a temporary directory', place, error);
  });
  const storage = createLocalStorage({ directory: path, isOurs: true });
  return {
    path,
    storage,
    remove: async () => {
      await storage.close();
      await rm(path, { recursive: true, force: true });
    },
  };
}

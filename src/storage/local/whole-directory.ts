/** Makes a directory atomically: it is filled under another name and then renamed. */
import { randomBytes } from 'node:crypto';
import { lstat, mkdir, open, readdir, rename, rm, rmdir } from 'node:fs/promises';
import { basename, dirname, join, resolve } from 'node:path';
import { codeOf, messageOf, UsageError } from '../../base/error.js';
import { systemProcesses } from '../../base/process-identity.js';
import { systemClock } from '../../base/runtime.js';
import { localFailure } from './local-failure.js';
import { createLocalStorage } from './local-storage.js';
import { stagingOwnerOf, stagingPrefix } from './staging-directory.js';
import { type Storage } from '../storage.js';
import { isObjectPath } from '../object-path.js';

/** How to recognize a directory that was made here before, and may be replaced. */
export interface Replaceable {
  /** A file that every such directory has. */
  readonly mark: string;
  /** The allowed names at its top; with any other name it is not replaced. */
  readonly entries: readonly string[];
}

/** What stands in the place so far: files of it may be kept. */
export interface EarlierDirectory {
  /** To read from. */
  readonly storage: Storage;
  /** Keeps a file as it is. @returns its bytes; undefined: it is not there, or cannot be kept */
  keep(path: string): Promise<number | undefined>;
}

/**
 * What a dead process has left beside the place is removed first; if it died while it put the new directory in the place
 * of an earlier one, that one comes back.
 *
 * @param place must not be there, or be an empty directory, or one that may be replaced
 * @param fill gets the directory that is there and may be replaced, if there is one
 * @throws {UsageError} something else stands there
 * @throws {StorageError} it cannot be written
 * @throws what `fill` throws; nothing is left of it then
 */
export async function writeDirectoryAtomically<T>(
  place: string,
  fill: (storage: Storage, earlier?: EarlierDirectory) => Promise<T>,
  replaceable?: Replaceable,
): Promise<T> {
  const target = resolve(place);
  const partial = await partialBeside(target);
  const beside = partial.slice(0, -PARTIAL.length);
  const earlier = (await isEarlier(target, replaceable)) ? beside + REPLACED : undefined;
  const wasThere = earlier === undefined && (await clear(place, target));
  const storage = createLocalStorage({ directory: partial, isOurs: true });
  try {
    const made = await fill(storage, earlier === undefined ? undefined : keeping(target, storage));
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

const PARTIAL = '.partial';
const REPLACED = '.replaced';
/** Between the name of the place and the ending. */
export const OURS = /^[0-9a-f]{16}-\d+-\w+-[0-9a-f]{16}-0$/;
/** A process of another machine or boot may live; longer than any directory takes to make. */
const FORGOTTEN_MS = 24 * 3_600_000;

/**
 * A new name beside the place, for what is to be renamed into it.
 * What dead processes have left under such names is removed.
 *
 * @param target absolute
 */
export async function partialBeside(target: string): Promise<string> {
  await removeLeftovers(target);
  const prefix = stagingPrefix(systemProcesses.self, randomBytes(8).toString('hex'));
  return join(dirname(target), `.${basename(target)}.${prefix}-0${PARTIAL}`);
}

/** What dead processes have left beside the place: it may have what was erased since. */
async function removeLeftovers(target: string): Promise<void> {
  const parent = dirname(target);
  const start = `.${basename(target)}.`;
  const names = await readdir(parent).catch(() => []);
  for (const name of names) {
    const ending = [PARTIAL, REPLACED].find((suffix) => name.endsWith(suffix));
    if (!name.startsWith(start) || ending === undefined) continue;
    const owner = name.slice(start.length, -ending.length);
    if (!OURS.test(owner)) continue;
    const { life } = stagingOwnerOf(owner, systemProcesses);
    const path = join(parent, name);
    if (life === 'alive' || (life === 'unknown' && !(await isForgotten(path)))) continue;
    // only where nothing has come into its place
    if (ending === REPLACED && (await rename(path, target).then(isTrue, isFalse))) continue;
    await rm(path, { recursive: true, force: true }).catch(() => undefined);
  }
}

const isTrue = (): boolean => true;
const isFalse = (): boolean => false;

async function isForgotten(path: string): Promise<boolean> {
  const stats = await lstat(path).catch(() => undefined);
  return stats !== undefined && stats.mtimeMs < systemClock.now() - FORGOTTEN_MS;
}

function keeping(target: string, storage: Storage): EarlierDirectory {
  const real = new Map<string, Promise<boolean>>();
  /** No link leads out of the earlier directory: it may be from somebody else. */
  const isReal = (directory: string): Promise<boolean> => {
    const known = real.get(directory);
    if (known) return known;
    const looking =
      directory === '.'
        ? Promise.resolve(true)
        : isReal(dirname(directory)).then(
            async (isAboveReal) =>
              isAboveReal && (await lstat(join(target, directory))).isDirectory(),
          );
    const looked = looking.catch(isFalse);
    real.set(directory, looked);
    return looked;
  };
  return {
    storage: createLocalStorage({ directory: target }),
    keep: async (path) =>
      isObjectPath(path) && (await isReal(dirname(path)))
        ? storage.adopt?.(join(target, path), path)
        : undefined,
  };
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

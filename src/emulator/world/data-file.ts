/** Keeps changes in one JSON file: read at the start, replaced atomically after changes. */
import { readFile, rename, rm, writeFile } from 'node:fs/promises';
import { codeOf, messageOf } from '../../base/error.js';
import { fileErrorReason } from '../../base/file-error.js';
import { UsageError } from '../../base/usage-error.js';
import { readDataFile, writeDataFile } from './snapshot.js';
import type { World } from './world.js';

export interface DataFile {
  /**
   * Writes the file now and after every change; changes during a write are written together.
   *
   * @throws {UsageError} it cannot be written
   */
  saveAfterEveryChange(): Promise<Saving>;
}

export interface Saving {
  /**
   * Resolves when the last change is on disk.
   *
   * @throws {UsageError} it could not be written
   */
  finish(): Promise<void>;
}

/**
 * Loads the file into the world, if it is there.
 *
 * @param path undefined: nothing is read and nothing is kept
 * @throws {UsageError} it cannot be read, is no data file, or was made with other seed settings
 */
export async function openDataFile(path: string | undefined, world: World): Promise<DataFile> {
  if (path === undefined) {
    return { saveAfterEveryChange: () => Promise.resolve({ finish: () => Promise.resolve() }) };
  }
  const text = await readIfThere(path);
  if (text !== undefined) readDataFile(text, path, world);
  return { saveAfterEveryChange: () => saveChanges(path, world) };
}

async function saveChanges(path: string, world: World): Promise<Saving> {
  let dirty = false;
  let failure: unknown;
  let writing: Promise<void> | undefined;
  const write = async (): Promise<void> => {
    while (dirty) {
      dirty = false;
      try {
        await replace(path, writeDataFile(world));
        failure = undefined;
      } catch (error) {
        failure = error;
      }
    }
    writing = undefined;
  };
  const start = (): void => {
    dirty = true;
    writing ??= write();
  };
  const finish = async (): Promise<void> => {
    start();
    await writing;
    if (failure === undefined) return;
    throw new UsageError(`emulator: cannot write the data file ${path}: ${messageOf(failure)}`, {
      cause: failure,
    });
  };
  await finish();
  world.onChange(start);
  return { finish };
}

async function readIfThere(path: string): Promise<string | undefined> {
  try {
    return await readFile(path, 'utf8');
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return undefined;
    throw new UsageError(`emulator: cannot read the data file ${path}: ${fileErrorReason(error)}`, {
      cause: error,
    });
  }
}

async function replace(path: string, text: string): Promise<void> {
  const temporary = `${path}.new`;
  try {
    await writeFile(temporary, text, { flush: true });
    await rename(temporary, path);
  } catch (error) {
    await rm(temporary, { force: true });
    throw error;
  }
}

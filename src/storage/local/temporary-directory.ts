/** A temporary directory that only this user can read. Its name tells whose it is: what dead processes have left is removed. */
import { randomBytes } from 'node:crypto';
import { mkdir, readdir, rm } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { systemProcesses } from '../../base/process-identity.js';
import { localFailure } from './local-failure.js';
import { createLocalStorage } from './local-storage.js';
import { stagingOwnerOf, stagingPrefix } from './staging-directory.js';
import { type Storage } from '../storage.js';
import { tmpdir } from 'node:os';
import { OURS } from './whole-directory.js';

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
  await removeTemporary(place);
  const prefix = stagingPrefix(systemProcesses.self, randomBytes(8).toString('hex'));
  const path = join(place, `${TEMPORARY}${prefix}-0`);
  await mkdir(path, { mode: 0o700 }).catch((error: unknown) => {
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

const TEMPORARY = 'jobvault-';

/**
 * Removes a temporary directory of a dead process, which has rows and texts of people. Nobody knows who lives on other
 * machines and boots: theirs stay.
 */
async function removeTemporary(place: string): Promise<void> {
  for (const name of await readdir(place).catch(() => [])) {
    const owner = name.slice(TEMPORARY.length);
    if (!name.startsWith(TEMPORARY) || !OURS.test(owner)) continue;
    if (stagingOwnerOf(owner, systemProcesses).life !== 'dead') continue;
    await rm(join(place, name), { recursive: true, force: true }).catch(() => undefined);
  }
}

/** A temporary directory that only this user can read. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { localFailure } from './local-failure.js';
import { createLocalStorage } from './local-storage.js';
import type { Storage } from '../storage.js';

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
  const storage = createLocalStorage({ directory: path });
  return {
    path,
    storage,
    remove: async () => {
      await storage.close();
      await rm(path, { recursive: true, force: true });
    },
  };
}

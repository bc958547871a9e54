/** Reads a small object that may be missing. */
import { ObjectNotFoundError } from './storage-errors.js';
import type { Storage } from './storage.js';

/** The object's bytes; undefined if there is no object at the path. */
export async function getIfThere(
  storage: Pick<Storage, 'get'>,
  path: string,
): Promise<Uint8Array | undefined> {
  try {
    return await storage.get(path);
  } catch (error) {
    if (error instanceof ObjectNotFoundError) return undefined;
    throw error;
  }
}

/** Removes objects, in order; on a disk each directory is synced once, rather than once per object. */
export async function deleteObjects(
  storage: Pick<Storage, 'delete' | 'deleteAll'>,
  paths: readonly string[],
  signal?: AbortSignal,
): Promise<void> {
  signal?.throwIfAborted();
  if (storage.deleteAll) {
    await storage.deleteAll(paths);
    return;
  }
  for (const path of paths) {
    signal?.throwIfAborted();
    await storage.delete(path);
  }
}

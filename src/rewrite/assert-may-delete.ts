/**
 * Checks that the storage lets this key delete, before a rewrite begins: one that is recorded in the log and cannot
 * remove what it has replaced leaves the archive half rewritten.
 */
import {
  COMMITS_PREFIX,
  CONTENT_PREFIXES,
  ERASURES_PREFIX,
  QUEUED_RUNS_PREFIX,
  SNAPSHOTS_PREFIX,
  WORKBOOKS_PREFIX,
} from '../archive/paths.js';
import { StorageError } from '../storage/storage-errors.js';
import type { Storage } from '../storage/storage.js';

/** Where an erasure deletes. */
export const ERASED_PREFIXES = [
  ...CONTENT_PREFIXES,
  WORKBOOKS_PREFIX,
  COMMITS_PREFIX,
  SNAPSHOTS_PREFIX,
  ERASURES_PREFIX,
  QUEUED_RUNS_PREFIX,
] as const;

/** No object has this name. Deleting what is not there needs the same permission, and leaves nothing behind. */
const NOTHING = 'deletion-check';

/** @throws {StorageError} deleting is refused below one of the prefixes */
export async function assertMayDelete(
  storage: Storage,
  prefixes: readonly string[],
): Promise<void> {
  for (const prefix of prefixes) {
    try {
      await storage.delete(prefix + NOTHING);
    } catch (error) {
      if (!(error instanceof StorageError)) throw error;
      const { trouble, message } = error;
      throw new StorageError(`nothing was changed: ${message}`, { cause: error, trouble });
    }
  }
}

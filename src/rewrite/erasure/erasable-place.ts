import { UsageError } from '../../base/usage-error.js';
import type { Storage } from '../../storage/storage.js';

/**
 * Before anything changes: half an erasure would be worse than none.
 *
 * @returns what the place keeps all the same, as a clause for people; null where nothing
 * @throws {UsageError} the place lets nobody remove anything for good
 */
export async function assertErasable(storage: Storage): Promise<string | null> {
  const kept = await storage.keepsDeleted?.();
  if (kept?.by !== 'locked') return kept?.why ?? null;
  throw new UsageError(`nothing can be erased from ${storage.location}: ${kept.why}`);
}

/** Erases from an archive that is open, after everything that could forbid it. */
import type { Archive } from '../../archive/archive.js';
import { UsageError } from '../../base/usage-error.js';
import type { Storage } from '../../storage/storage.js';
import {
  eraseChoices,
  type EraseChoices,
  type EraseSummary,
  type ErasingRun,
} from './erase-options.js';
import { erase } from './erase.js';

/** @throws {UsageError} nobody is named, or the place keeps what is deleted @throws as `erase` does */
export async function eraseFromArchive(
  run: ErasingRun,
  choices: EraseChoices,
): Promise<EraseSummary> {
  const chosen = eraseChoices(choices);
  return erase({ ...chosen, ...run, kept: await assertMayErase(run.archive) });
}

/**
 * Before anything changes: half an erasure would be worse than none.
 *
 * @returns what the place keeps all the same, as a clause for people; null where nothing
 * @throws {UsageError} the place lets nobody remove anything for good
 * @throws {SigningKeyError} the log is signed, and this run has no key or another one
 */
export async function assertMayErase({ log, storage }: Archive): Promise<string | null> {
  await log.assertMayAppend();
  return keptAt(storage);
}

async function keptAt(storage: Storage): Promise<string | null> {
  const kept = await storage.keepsDeleted?.();
  if (kept?.by !== 'locked') return kept?.why ?? null;
  throw new UsageError(`nothing can be erased from ${storage.location}: ${kept.why}`);
}

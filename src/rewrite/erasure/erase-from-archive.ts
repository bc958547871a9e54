/** Erases from an open archive, after checking that nothing forbids it. */
import type { Archive } from '../../archive/archive.js';
import { UsageError } from '../../base/error.js';
import type { Storage } from '../../storage/storage.js';
import {
  assertMayDelete,
  ERASED_PREFIXES,
  rewriteAlone,
  type RewriteOptions,
} from '../rewriting.js';
import {
  eraseChoices,
  nothingMeant,
  type EraseChoices,
  type EraseSummary,
  type ErasingRequest,
} from './erase-options.js';
import { erase } from './erase.js';
import { disregardLost } from './finish-lost.js';

/** @throws {UsageError} no user or session is named, or the storage keeps deleted objects @throws as `erase` does */
export async function eraseFromArchive(
  run: RewriteOptions,
  choices: EraseChoices,
  forRequest?: ErasingRequest,
): Promise<EraseSummary> {
  const isNobody = choices.users?.length === 0 && choices.sessions?.length === 0;
  if (forRequest?.meant && isNobody) return nothingMeant(run.archive.storage.location, forRequest);
  const chosen = eraseChoices(choices);
  const kept = await assertMayErase(run.archive, { isPlan: chosen.dryRun });
  return erase({ ...chosen, ...run, kept, forRequest });
}

/**
 * Finishes the erasures of dead runs, and reads the log without those whose plans are lost: until then it hides whom a
 * request is about, as if they were erased.
 *
 * @throws as `assertMayErase` does
 */
export async function finishEarlier(
  run: RewriteOptions,
  options: { readonly isPlan: boolean },
): Promise<void> {
  const { archive } = run;
  await archive.index.refresh();
  if (archive.index.openErasures.size === 0) return;
  await assertMayErase(archive, options);
  await rewriteAlone(run, () => Promise.resolve());
  await disregardLost(archive);
}

/**
 * Checks that an erasure can be finished, before anything is changed.
 *
 * @param options.isPlan nothing will be recorded, so no key is needed
 * @returns what the storage keeps of deleted objects, as a clause; null if nothing
 * @throws {UsageError} the storage does not allow permanent deletion
 * @throws {StorageError} this key may not delete
 * @throws {SigningKeyError | SigningStartError} the log is signed, and this run has no key or another one; or is not, and its key may not begin
 */
export async function assertMayErase(
  { log, storage }: Archive,
  { isPlan = false }: { readonly isPlan?: boolean } = {},
): Promise<string | null> {
  if (!isPlan) await log.assertMayAppend();
  const kept = await keptAt(storage);
  await assertMayDelete(storage, ERASED_PREFIXES);
  return kept;
}

async function keptAt(storage: Storage): Promise<string | null> {
  const kept = await storage.keepsDeleted?.();
  if (kept?.by !== 'locked') return kept?.why ?? null;
  throw new UsageError(`nothing can be erased from ${storage.location}: ${kept.why}`);
}

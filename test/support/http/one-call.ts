/** Opens an archive with the library, calls one method, and closes it. */
import { openArchive } from '../../../src/library/operations.js';
import type { OpenOptions } from '../../../src/library/call-context.js';
import type { PlanOptions, PruneChoices } from '../../../src/prune/prune-choices.js';
import type { PrunePlan } from '../../../src/prune/plan/plan-prune.js';
import type { PruneResult } from '../../../src/prune/run-prune.js';
import type { CompactChoices, CompactSummary } from '../../../src/rewrite/compaction/compact.js';
import type { CopyChoices, CopySummary } from '../../../src/rewrite/copy-archive.js';
import type { EraseChoices, EraseSummary } from '../../../src/rewrite/erasure/erase-options.js';

export type InOneCall<Choices> = OpenOptions & Choices & { readonly archive: string };

export async function compactArchive(options: InOneCall<CompactChoices>): Promise<CompactSummary> {
  await using archive = await openArchive(options.archive, options);
  return await archive.compact(options);
}

export async function eraseFromArchive(options: InOneCall<EraseChoices>): Promise<EraseSummary> {
  await using archive = await openArchive(options.archive, options);
  return await archive.erase(options);
}

export async function copyArchive(
  options: InOneCall<CopyChoices> & { readonly target: string },
): Promise<CopySummary> {
  await using archive = await openArchive(options.archive, options);
  return await archive.copyTo(options.target, options);
}

export async function planPrune(options: InOneCall<PlanOptions>): Promise<PrunePlan> {
  await using archive = await openArchive(options.archive, options);
  return await archive.planPrune(options);
}

export async function pruneArchive(options: InOneCall<PruneChoices>): Promise<PruneResult> {
  await using archive = await openArchive(options.archive, options);
  return await archive.prune(options);
}

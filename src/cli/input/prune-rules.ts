/** Turns settings into the rules of a deletion. */
import type { pruneRuleSettings } from '../../config/rewrite-settings.js';
import type { ValuesOf } from '../../config/resolve-settings.js';
import type { PruneRules } from '../../prune/prune-rules.js';
import { readHolds } from './hold-file.js';
import { acceptedKinds } from './accepted-kinds.js';

/** @throws {UsageError} a hold file cannot be read, or a kind of file is not one */
export async function pruneRulesOf(
  given: ValuesOf<typeof pruneRuleSettings>,
): Promise<Partial<PruneRules>> {
  return {
    all: given.all,
    olderThanMs: given.olderThanMs,
    keep: given.keep,
    freeSlots: given.freeSlots,
    maxDelete: given.maxDelete,
    acceptSuspicious: given.acceptSuspicious,
    trustThisClock: given.trustThisClock,
    allowUnknownHolds: given.allowUnknownHolds,
    holds: await readHolds(given),
    acceptUnfetched: acceptedKinds(given.acceptUnfetched),
  };
}

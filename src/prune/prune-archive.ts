/** Prunes an archive that is open: opens its service, shows what would go, deletes, and closes the service. */
import type { ArchiveTask } from '../archive/archive.js';
import { openAccess } from '../artifacts/access.js';
import { ulid } from '../base/ulid.js';
import { UsageError } from '../base/error.js';
import { withFields } from '../base/logger.js';
import { asRunId, type RunId } from '../model/ids.js';
import { planByService } from './plan/plan-prune.js';
import { checkedRules, type PruneChoices } from './prune-choices.js';
import { choosesSessions } from './prune-rules.js';
import type { PruneSummary } from './prune-summary.js';
import { assertOfThisLog } from './plan/saved-plan.js';
import { requestsOf, runPrune, type PruneResult } from './run-prune.js';

const DEFAULT_PAGE_SIZE = 100;

/**
 * Deletes from the service what the rules select and the archive provably holds.
 *
 * @throws {UsageError} as `planPrune`; no rule chooses, or the plan has expired @throws {SigningKeyError | SigningStartError} as `CommitLog.assertMayAppend`
 */
export async function pruneArchive(options: PruneChoices & ArchiveTask): Promise<PruneResult> {
  const { clock, random, logger } = options.archive;
  const run = asRunId(options.runId ?? ulid(clock, random));
  const archive = { ...options.archive, logger: withFields(logger, { run }) };
  return pruneAs(run, { ...options, archive });
}

async function pruneAs(runId: RunId, options: PruneChoices & ArchiveTask): Promise<PruneResult> {
  const { archive, signal, plan, confirm, veto, selects, unknownIds } = options;
  const rules = checkedRules(options);
  if (plan) await assertOfThisLog(plan, archive);
  if (!plan && !choosesSessions(rules)) throw new UsageError(NO_RULE);
  // before the service is asked for anything: its clock is compared before the plan is shown
  if (confirm) await archive.log.assertMayAppend();
  // a DELETE that was sent is followed to its end: no signal
  const { budget } = options;
  const access = openAccess({
    ...options,
    ...archive,
    run: runId,
    pace: budget,
    signal: undefined,
  });
  try {
    const asked = confirm && (await planByService(access.service, rules, options));
    if (asked && (asked.summary.planned ?? 0) > 0 && !(await confirm(asked.summary))) {
      const requests = requestsOf(access);
      const summary: PruneSummary = { ...asked.summary, run: runId, status: 'declined', requests };
      return { summary, error: undefined, failures: new Set() };
    }
    return await runPrune({
      runId,
      archive,
      signal,
      rules,
      plan,
      veto,
      selects,
      unknownIds,
      service: access.service,
      fetcher: access.fetcher,
      budget,
      agreed: options.isAgreedBeforehand ? undefined : asked,
      shown: asked?.summary,
      noWait: options.noWait ?? false,
      pageSize: options.pageSize ?? DEFAULT_PAGE_SIZE,
    });
  } finally {
    await access.close();
  }
}

const NO_RULE =
  'nothing says which sessions are to be deleted; give a rule (--older-than, --keep, --free-slots, --session) or --all';

/** `export --delete-archived`: prunes the exported users with the rules of prune. */
import { UsageError } from '../base/error.js';
import type { pruneRuleSettings } from '../config/rewrite-settings.js';
import type { ValuesOf } from '../config/resolve-settings.js';
import type { ExportObserver } from '../export/export-observer.js';
import { checkedUsers, rateOf, type ExportToArchiveOptions } from '../export/export-request.js';
import type { ExportSummary } from '../export/export-summary.js';
import type { ExportPlan } from '../export/plan-export.js';
import { isOfHistory } from '../export/jobs/gap.js';
import type { ExportResult } from '../export/run-tally.js';
import type { OpenArchive } from '../library/open-archive.js';
import { openArchive } from '../library/operations.js';
import type { PlanChoices, PruneChoices } from '../prune/prune-choices.js';
import type { PruneRules } from '../prune/prune-rules.js';
import { emptyPruneSummary, type PruneSummary } from '../prune/prune-summary.js';
import type { PruneResult } from '../prune/run-prune.js';
import { sessionKey } from '../model/ids.js';
import { pruneRulesOf } from './input/prune-rules.js';

/** @throws {UsageError} no rule selects sessions, or the hold file cannot be read */
export async function deletionRules(
  given: ValuesOf<typeof pruneRuleSettings>,
): Promise<Partial<PruneRules>> {
  const { all, olderThanMs, keep, freeSlots } = given;
  if (!all && olderThanMs === undefined && keep === undefined && freeSlots === undefined) {
    throw new UsageError(
      '--delete-archived does not say which sessions; give --older-than, --keep, --free-slots or --all',
    );
  }
  return pruneRulesOf(given);
}

/**
 * What would go of what is archived already; undefined where nothing of the listed users is.
 *
 * @param around.selects sessions that the dry run would check
 */
export async function planDeletion(
  options: ExportToArchiveOptions,
  rules: Partial<PruneRules>,
  { plan, selects }: { readonly plan: ExportPlan } & Pick<PlanChoices, 'selects'>,
): Promise<PruneSummary | undefined> {
  const { out, storage, logger, signal, baseUrl, project, sessions = [] } = options;
  const users = checkedUsers(options);
  if (users.length === 0 || plan.sessions.archived === 0) return undefined;
  await using opened = await openArchive(out, { storage, logger, signal });
  const { summary } = await opened.planPrune({
    baseUrl,
    project,
    rules: { ...rules, users, sessions },
    unknownIds: 'skip',
    access: options,
    selects: options.search === undefined ? undefined : selects,
  });
  return summary;
}

type Confirming = Pick<PruneChoices, 'selects' | 'confirm' | 'isAgreedBeforehand'>;

/** Does nothing after an export that ended early. Adds its counts to the export's summary. */
export async function deleteArchived(
  options: ExportToArchiveOptions,
  rules: Partial<PruneRules>,
  { summary, error: exportError, budget }: ExportResult,
  { selects, confirm, isAgreedBeforehand }: Confirming,
): Promise<PruneResult | undefined> {
  if (exportError !== undefined || summary.status === 'interrupted') return undefined;
  const { out: archive, baseUrl, apiKey, apiKeyHeader, project, pageSize } = options;
  const { logger, terms, signal, signer, noWait, sessions = [], storage, proxy } = options;
  const { maxFileBytes, fileConcurrency, storageBaseUrl, allowPrivateNetwork } = options;
  const opening = {
    storage,
    logger,
    terms,
    signal,
    signer,
    proxy,
    timestampUrls: options.timestampUrls,
  };
  const [users, rate] = [checkedUsers(options), rateOf(options)];
  if (users.length === 0) return undefined; // without users, prune would take all users
  let pruned: PruneResult;
  try {
    await using opened = await openArchive(archive, opening);
    pruned = await opened.prune({
      proxy,
      baseUrl,
      apiKey,
      apiKeyHeader,
      project,
      rate,
      pageSize,
      noWait,
      budget,
      maxFileBytes,
      fileConcurrency,
      storageBaseUrl,
      allowPrivateNetwork,
      rules: { ...rules, users, sessions },
      // a user without anything to export has nothing to delete
      unknownIds: 'skip',
      selects,
      confirm,
      isAgreedBeforehand,
      veto: vetoOf(summary),
    });
    await leaveTheCap(summary, opened).catch(() => undefined); // then they count as they were listed
  } catch (error) {
    // the export is done: its summary is printed all the same
    const failed = {
      ...emptyPruneSummary(archive, null),
      status: 'failed' as const,
      planned: null,
    };
    return { summary: failed, error, failures: new Set() };
  }
  const { deletions, requests, max_delete: limit } = pruned.summary;
  summary.deletions.deleted = deletions.deleted;
  summary.deletions.refused = deletions.refused;
  summary.deletions.left = deletions.left;
  summary.deletions.held = deletions.held;
  if (limit !== undefined) summary.max_delete = limit;
  if (summary.budget) summary.budget.requests += requests.api;
  summary.requests.api += requests.api;
  summary.requests.files += requests.files;
  summary.requests.retries += requests.retries;
  summary.requests.rate_limited += requests.rate_limited;
  return pruned;
}

/** Users of whom enough is deleted by now. */
async function leaveTheCap(
  { at_the_cap: capped = [] }: ExportSummary,
  opened: OpenArchive,
): Promise<void> {
  for (const user of [...capped]) {
    const status = await opened.userStatus(user);
    if (!status.at_the_cap) capped.splice(capped.indexOf(user), 1);
  }
}

/** Keeps what the export could not bring up to date, whatever the archive holds. */
function vetoOf(summary: ExportSummary): (user: string, session: string) => string | undefined {
  const gaps = summary.gaps.filter(
    (gap) => isOfHistory(gap) && (gap.accepted !== true || gap.accepted_by !== undefined),
  );
  const users = new Set(gaps.filter(({ session }) => session === null).map(({ user }) => user));
  const sessions = new Set(gaps.map(({ user, session }) => sessionKey(user, session ?? '')));
  return (user, session) => {
    if (users.has(user)) return 'the export of its user has just ended with a gap';
    if (sessions.has(sessionKey(user, session))) return 'its export has just ended with a gap';
    return undefined;
  };
}

/** Collects the sessions that an export has checked, or a dry run would check; with --search and --retry-gaps, exactly those that these select. */
export class CheckedSessions {
  readonly #seen = new Set<string>();
  readonly observer: ExportObserver;

  /** @param others is notified as well */
  constructor(others: ExportObserver) {
    this.observer = {
      ...others,
      sessionFinished: (user, session, outcome) => {
        others.sessionFinished?.(user, session, outcome);
        this.#seen.add(sessionKey(user, session));
      },
      sessionPlanned: (user, session) => {
        this.#seen.add(sessionKey(user, session));
      },
    };
  }

  readonly has = (user: string, session: string): boolean =>
    this.#seen.has(sessionKey(user, session));
}

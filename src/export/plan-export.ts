/** A dry run: counts what the service has and the archive lacks; writes nothing. */
import { fromSnapshot } from '../archive/archive.js';
import { OpenDeletions } from '../archive/open-deletions.js';
import { openArchiveIfThere } from '../archive/open-archive.js';
import { emptyState } from '../archive/state/user-state.js';
import { openService } from '../artifacts/access.js';
import { runtimeOf } from '../base/runtime.js';
import { UsageError } from '../base/error.js';
import { ulid } from '../base/ulid.js';
import { BudgetSpentError } from '../service/pace/request-budget.js';
import { PageGrant } from '../service/page.js';
import type { ServiceClient } from '../service/service-client.js';
import { openStorage } from '../storage/open-storage.js';
import { UserSpellings } from '../archive/reading/user-spellings.js';
import { asSessionId, type UserId } from '../model/ids.js';
import { keyOfAnySpelling } from '../model/user-spelling.js';
import {
  checkedUsers,
  exportRunSettings,
  lapScopeOf,
  listRuleOf,
  type ExportToArchiveOptions,
} from './export-request.js';
import { paceOf, archiveSettings } from './export-to-archive.js';
import { RunLap } from './laps/run-lap.js';
import { isNarrowed } from './export-run.js';
import { CircuitBreaker } from './circuit-breaker.js';
import { isOfProject } from './project-of-key.js';
import type { ExportSummary } from './export-summary.js';
import { listSessions, skippedOnHold, withoutSuppressed } from './users/session-listing.js';
import { CheckedList } from './users/checked-list.js';
import { checkedListing } from './users/checked-listing.js';

const PAGE_SIZE = 100;

export interface ExportPlan {
  readonly dry_run: true;
  readonly users: number;
  /** Users without a session, at the service and in the archive: perhaps the id is wrong. */
  readonly never_seen: readonly string[];
  /** Unknown users who were expected to have a session: a run has a gap of each. */
  readonly unknown: readonly string[];
  /** Users whose sessions could not be listed. */
  readonly failed: number;
  /** Users and sessions that a run skips, as in its summary. */
  readonly suppressed?: ExportSummary['suppressed'];
  /** Users who are not proven complete: a listing has a gap or a cache gave an answer, or a named session is missing. */
  readonly unproven: number;
  /** A session that several spellings of a user list is one, as in a run's summary, and so are its jobs. */
  readonly sessions: { readonly listed: number; readonly archived: number };
  /** `announced` adds up the totals that the service reports for histories. */
  readonly jobs: { readonly announced: number; readonly archived: number };
  /** Why the list of users cannot be right, as a run would say; only where it is doubtful. */
  readonly doubtful_list?: string;
  /** Only with a budget: sessions that a run would check, and those that it would leave for later. */
  readonly budget?: { readonly checks: number; readonly left: { users: number; sessions: number } };
}

/**
 * Lists the sessions and reads the length of each history: one small request per session.
 *
 * @throws {UsageError} an option is invalid, or `out` is not an archive of this service
 * @throws {JobvaultError} the service refuses the key or cannot be reached
 */
export async function planExport(options: ExportToArchiveOptions): Promise<ExportPlan> {
  if (options.retryGaps) {
    throw new UsageError('a dry run cannot retry gaps; jobvault status shows them');
  }
  const runtime = runtimeOf(options);
  const { clock, random, logger, signal } = runtime;
  const users = checkedUsers(options);
  const settings = exportRunSettings(options);
  const storage = await openStorage(options.out, options.storage, logger);
  const { budget, ...pace } = paceOf(options, clock);
  const service = openService({
    ...options,
    ...runtime,
    ...pace,
    run: ulid(clock, random),
  });
  const failures = new CircuitBreaker();
  const plan = {
    dry_run: true as const,
    users: users.length,
    never_seen: new Array<string>(),
    unknown: new Array<string>(),
    failed: 0,
    unproven: 0,
    sessions: { listed: 0, archived: 0 },
    jobs: { announced: 0, archived: 0 },
  };
  const suppressed = { users: 0, sessions: 0 };
  let onHold = 0;
  const spellings = new UserSpellings(() => users);
  const counted = new Set<string>();
  const counts = { checks: 0, left: { users: 0, sessions: 0 } };
  const grants = { sessions: new PageGrant(PAGE_SIZE), history: new PageGrant(PAGE_SIZE) };
  const run = { service, settings, grants, signal };
  const openDeletions = new OpenDeletions(storage);
  const { allowOtherConversations } = options;
  try {
    const opened = await openArchiveIfThere(storage, archiveSettings(options, { clock, random }));
    const archive = opened && fromSnapshot(opened);
    await archive?.index.refresh();
    const check = archive && { archive, service, pageSize: PAGE_SIZE, signal };
    const isKnown = !check || (await isOfProject({ ...check, allowOtherConversations }));
    const lap = new RunLap({
      storage,
      index: archive?.index,
      scope: isNarrowed(settings) ? undefined : lapScopeOf(options),
      budget,
      rereadMs: settings.rereadMs,
      clock,
      pageSize: PAGE_SIZE,
      logger,
    });
    const rule = listRuleOf(options);
    const list = rule && (await CheckedList.of({ archive, users }, rule));
    await lap.prepare(users);
    for (const userId of lap.inTurn(users)) {
      if (archive?.index.suppressions.ofUser(userId) !== undefined) {
        suppressed.users++;
        if ((await skippedOnHold(archive, userId)).length > 0) onHold++;
        continue;
      }
      const state = (await archive?.states.load(userId)) ?? emptyState(userId);
      const visit = lap.begin(state);
      if (!visit) {
        counts.left.users++;
        continue;
      }
      try {
        const listed = await listSessions(run, userId);
        failures.succeeded();
        const checking = { ...run, isOfProject: isKnown, openDeletions };
        const listing = archive ? await checkedListing(checking, state, listed) : listed;
        const { missing, gap } = listing;
        const kept = archive && (await withoutSuppressed(archive, state, listing));
        suppressed.sessions += kept?.suppressed ?? 0;
        const { sessions } = kept ?? listing;
        let isUnproven = gap !== undefined || missing.length > 0;
        const isSeen = listing.sessions.length > 0 || state.sessions.size > 0;
        if (!isSeen && !gap && !isNarrowed(settings)) {
          plan.never_seen.push(userId);
          if (settings.expectedUsers?.has(userId) === true) plan.unknown.push(userId);
        }
        const isSpelled = spellings.othersOf(userId).length > 0;
        const isCounted = (session: string): boolean =>
          isSpelled && counted.has(keyOfAnySpelling(userId, session));
        const first = sessions.filter(({ value }) => !isCounted(value.id));
        plan.sessions.listed += first.length;
        for (const { value } of first) {
          const known = state.sessions.get(value.id);
          if (known) plan.sessions.archived++;
          plan.jobs.archived += known?.jobs.size ?? 0;
        }
        for (const { value } of visit.inTurn(sessions)) {
          const asked = await visit.take(value.id, () =>
            lengthOf(service, userId, value.id, signal),
          );
          if (!asked) continue;
          if (!isCounted(value.id)) plan.jobs.announced += asked.length;
          isUnproven ||= asked.isStale;
          counts.checks++;
          options.observer?.sessionPlanned?.(userId, value.id);
        }
        counts.left.sessions += visit.postponed.length;
        if (isSpelled)
          for (const { value } of first) counted.add(keyOfAnySpelling(userId, value.id));
        if (isUnproven) plan.unproven++;
      } catch (error) {
        if (error instanceof BudgetSpentError) counts.left.users++;
        else if (failures.isFatal(error)) throw error;
        else plan.failed++;
      }
    }
    list?.checkEnd(plan.never_seen.length);
    return {
      ...plan,
      ...(suppressed.users + suppressed.sessions > 0
        ? { suppressed: { ...suppressed, ...(onHold > 0 && { users_on_hold: onHold }) } }
        : {}),
      ...(list?.doubt === undefined ? {} : { doubtful_list: list.doubt }),
      ...(budget ? { budget: counts } : {}),
    };
  } finally {
    await service.close();
    await storage.close();
  }
}

async function lengthOf(
  service: ServiceClient,
  userId: UserId,
  session: string,
  signal: AbortSignal,
): Promise<{ readonly length: number; readonly isStale: boolean }> {
  const sessionId = asSessionId(session);
  const page = await service.getHistory({ userId, sessionId, pageSize: 1, signal });
  const isStale = page.served.stale !== undefined;
  return { length: page.totalItems ?? page.records.length, isStale };
}

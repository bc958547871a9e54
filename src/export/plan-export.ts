/** A dry run: counts what the service has and the archive lacks; writes nothing. */
import { type Archive, fromSnapshot } from '../archive/archive.js';
import { OpenDeletions } from '../archive/open-deletions.js';
import { openArchiveIfThere } from '../archive/open-archive.js';
import { emptyState, type UserState } from '../archive/state/user-state.js';
import { openService } from '../artifacts/access.js';
import { runtimeOf } from '../base/runtime.js';
import { UsageError } from '../base/error.js';
import { ulid } from '../base/ulid.js';
import { BudgetSpentError } from '../service/pace/request-budget.js';
import { PageGrant } from '../service/page.js';
import { openStorage } from '../storage/open-storage.js';
import { UserSpellings } from '../archive/reading/users/user-spellings.js';
import { asSessionId, type SessionId, type UserId } from '../model/ids.js';
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
import type { ListedSession, UserVisit } from './laps/user-visit.js';
import { type ListingRun, isNarrowed } from './export-run.js';
import { CircuitBreaker } from './circuit-breaker.js';
import { isOfProject } from './project-of-key.js';
import type { ExportSummary } from './export-summary.js';
import {
  listSessions,
  type SessionListing,
  skippedOnHold,
  withoutSuppressed,
} from './users/session-listing.js';
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
  const grants = { sessions: new PageGrant(PAGE_SIZE), history: new PageGrant(PAGE_SIZE) };
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
    const openDeletions = new OpenDeletions(storage);
    const planner = new Planner({
      run: { service, settings, grants, signal, isOfProject: isKnown, openDeletions },
      archive,
      users,
      observer: options.observer,
    });
    for (const user of lap.inTurn(users)) await planner.add(user, lap);
    list?.checkEnd(planner.counts.never_seen);
    return {
      dry_run: true,
      users: users.length,
      ...planner.counts,
      ...planner.suppressed,
      ...(list?.doubt === undefined ? {} : { doubtful_list: list.doubt }),
      ...(budget ? { budget: planner.work } : {}),
    };
  } finally {
    await service.close();
    await storage.close();
  }
}

interface PlannerOptions {
  readonly run: ListingRun;
  readonly archive: Archive | undefined;
  readonly users: readonly UserId[];
  readonly observer: ExportToArchiveOptions['observer'];
}

/** Asks what there is of one user after the other, and adds it up. */
class Planner {
  readonly counts = {
    never_seen: new Array<string>(),
    unknown: new Array<string>(),
    failed: 0,
    unproven: 0,
    sessions: { listed: 0, archived: 0 },
    jobs: { announced: 0, archived: 0 },
  };
  readonly work = { checks: 0, left: { users: 0, sessions: 0 } };
  readonly #options: PlannerOptions;
  readonly #failures = new CircuitBreaker();
  readonly #spellings: UserSpellings;
  /** The sessions of users who have other spellings, too: each counts once. */
  readonly #counted = new Set<string>();
  #usersSkipped = 0;
  readonly #sessionsSkipped = new Set<string>();
  #usersOnHold = 0;

  constructor(options: PlannerOptions) {
    this.#options = options;
    this.#spellings = new UserSpellings(() => options.users);
  }

  get suppressed(): Pick<ExportPlan, 'suppressed'> {
    const [users, sessions] = [this.#usersSkipped, this.#sessionsSkipped.size];
    if (users + sessions === 0) return {};
    const onHold = this.#usersOnHold;
    return { suppressed: { users, sessions, ...(onHold > 0 && { users_on_hold: onHold }) } };
  }

  async add(user: UserId, lap: RunLap): Promise<void> {
    const { archive } = this.#options;
    if (archive?.index.suppressions.ofUser(user) !== undefined) {
      this.#usersSkipped++;
      if ((await skippedOnHold(archive, user)).length > 0) this.#usersOnHold++;
      return;
    }
    const state = (await archive?.states.load(user)) ?? emptyState(user);
    const visit = lap.begin(state);
    if (!visit) {
      this.work.left.users++;
      return;
    }
    try {
      await this.#visit(state, visit);
    } catch (error) {
      if (error instanceof BudgetSpentError) this.work.left.users++;
      else if (this.#failures.isFatal(error)) throw error;
      else this.counts.failed++;
    }
  }

  async #visit(state: UserState, visit: UserVisit): Promise<void> {
    const { run, archive } = this.#options;
    const { user } = state;
    const listed = await listSessions(run, user);
    this.#failures.succeeded();
    const listing = archive ? await checkedListing(run, state, listed) : listed;
    const kept = archive && (await withoutSuppressed(archive, state, listing));
    for (const session of kept?.skipped ?? []) this.#sessionsSkipped.add(session);
    this.#noteUnseen(state, listing);
    const { sessions } = kept ?? listing;
    const first = this.#notCounted(user, sessions);
    this.#addListed(state, first);
    const isStale = await this.#askLengths(user, visit, {
      sessions,
      first: new Set(first),
    });
    if (this.#spellings.othersOf(user).length > 0) {
      for (const session of first) this.#counted.add(keyOfAnySpelling(user, session));
    }
    if (listing.gap !== undefined || listing.missing.length > 0 || isStale) this.counts.unproven++;
  }

  #noteUnseen({ user, sessions }: UserState, listing: SessionListing): void {
    const { settings } = this.#options.run;
    const isSeen = listing.sessions.length > 0 || sessions.size > 0;
    if (isSeen || listing.gap || isNarrowed(settings)) return;
    this.counts.never_seen.push(user);
    if (settings.expectedUsers?.has(user) === true) this.counts.unknown.push(user);
  }

  /** Sessions that no other spelling of the user has listed before. */
  #notCounted(user: UserId, sessions: readonly ListedSession[]): SessionId[] {
    const ids = sessions.map(({ value }) => asSessionId(value.id));
    if (this.#spellings.othersOf(user).length === 0) return ids;
    return ids.filter((id) => !this.#counted.has(keyOfAnySpelling(user, id)));
  }

  #addListed({ sessions }: UserState, first: readonly SessionId[]): void {
    this.counts.sessions.listed += first.length;
    for (const session of first) {
      const known = sessions.get(session);
      if (known) this.counts.sessions.archived++;
      this.counts.jobs.archived += known?.jobs.size ?? 0;
    }
  }

  /** Whether a cache gave an answer. */
  async #askLengths(
    user: UserId,
    visit: UserVisit,
    of: { readonly sessions: readonly ListedSession[]; readonly first: ReadonlySet<SessionId> },
  ): Promise<boolean> {
    const { run, observer } = this.#options;
    let isStale = false;
    for (const { value } of visit.inTurn(of.sessions)) {
      const id = asSessionId(value.id);
      const asked = await visit.take(id, () => lengthOf(run, user, id));
      if (!asked) continue;
      if (of.first.has(id)) this.counts.jobs.announced += asked.length;
      isStale ||= asked.isStale;
      this.work.checks++;
      observer?.sessionPlanned?.(user, id);
    }
    this.work.left.sessions += visit.postponed.length;
    return isStale;
  }
}

async function lengthOf(
  { service, signal }: PlannerOptions['run'],
  userId: UserId,
  sessionId: SessionId,
): Promise<{ readonly length: number; readonly isStale: boolean }> {
  const page = await service.getHistory({ userId, sessionId, pageSize: 1, signal });
  const isStale = page.served.stale !== undefined;
  return { length: page.totalItems ?? page.records.length, isStale };
}

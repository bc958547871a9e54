/** Executes a prune: settles what earlier runs began, then processes the users. */
import type { FailureKind } from '../base/error.js';
import { sessionKey, type RunId, type UserId, asRunId } from '../model/ids.js';
import type { RequestBudget } from '../service/pace/request-budget.js';
import type { ServiceClient } from '../service/service-client.js';
import type { ArtifactFetcher } from '../artifacts/artifact-fetcher.js';
import { ArchiveRun } from '../archive/runs/archive-run.js';
import { ArchiveProof } from './archive-proof.js';
import { ClockWatch, refusal, type PruneRefusal, type PruneRules } from './prune-rules.js';
import { SessionSelector, type SelectorOptions, walkSelection } from './session-selector.js';
import { DeletionLog } from './deletion-log.js';
import { Intents, type Intent } from './intents.js';
import { FileCheck, ServiceView, ServiceFailureTracker } from './service-view.js';
import { LogFacts } from '../archive/state/log-facts.js';
import { addIntent, emptyPruneSummary, type PruneSummary } from './prune-summary.js';
import { UserPrune, type PruneTools } from './prune-user.js';
import { slotsToFree } from './select-sessions.js';
import type { Archive } from '../archive/archive.js';
import { assertNotCut } from '../archive/cut-log.js';
import { leaseStanding } from '../archive/runs/lease.js';
import { runLeasePath } from '../archive/paths.js';
import { StaleAnswerError } from '../service/service-errors.js';
import { isLive } from '../archive/state/user-state.js';

/** The archive is bound to the service: whoever opened it has compared the two. */
export interface RunPruneOptions extends Omit<SelectorOptions, 'facts'> {
  readonly run: RunId;
  /** Not called off by `signal`: a DELETE that was sent is followed to its end. */
  readonly service: ServiceClient;
  /** The pace of that client, where it is limited. */
  readonly budget?: RequestBudget | undefined;
  /** For files whose URLs say something else than the archived ones: their bytes decide. */
  readonly fetcher: ArtifactFetcher;
  readonly leases: {
    /** Give way to a run that is known to live instead of waiting for it. */
    readonly noWait: boolean;
    /** Default 30 s. */
    readonly termMs?: number | undefined;
  };
  readonly pageSize: number;
  /** Aborted to stop before the next session; what is deleted is recorded. */
  readonly signal: AbortSignal;
}

export interface PruneResult {
  readonly summary: PruneSummary;
  /** What ended the run before its time. */
  readonly error: unknown;
  /** The kinds of failure behind the refusals. */
  readonly failures: ReadonlySet<FailureKind>;
}

/** @throws nothing that ends a run: that is in the result's `error` */
export async function runPrune(options: RunPruneOptions): Promise<PruneResult> {
  return new PruneRun(options).run();
}

class PruneRun {
  readonly #tools: Omit<PruneTools, 'proof' | 'histories'>;
  readonly #selector: SessionSelector;
  readonly #run: ArchiveRun;
  readonly #budget;
  readonly #startedAt;
  /** Sessions, by `sessionKey`, whose earlier deletion could not be settled: they are left alone. */
  readonly #undecided = new Set<string>();

  constructor(readonly options: RunPruneOptions) {
    const { run, archive, service, rules, signal } = options;
    const facts = new LogFacts(archive);
    const files = new FileCheck({ ...options, clock: archive.clock });
    const intents = new Intents(archive);
    const scope = scopeOf(rules);
    this.#startedAt = archive.clock.monotonic();
    this.#selector = new SessionSelector({ ...options, facts });
    this.#run = new ArchiveRun({ archive, run, termMs: options.leases.termMs });
    this.#budget = { maxDelete: rules.maxDelete, left: rules.maxDelete };
    this.#tools = {
      run,
      rules,
      facts,
      intents,
      budget: options.budget,
      archive,
      signal,
      view: new ServiceView(service, { pageSize: ownPageSize(options) }, files, signal),
      files,
      watch: new ServiceFailureTracker(signal),
      deletions: new DeletionLog({ archive, run, scope, intents }),
      summary: emptyPruneSummary(archive.storage.location, run),
      holds: this.#selector.holds,
      isNamed: this.#selector.isNamed,
    };
  }

  async run(): Promise<PruneResult> {
    const { archive, signal } = this.options;
    const { facts, deletions } = this.#tools;
    let error: unknown;
    try {
      // a DELETE that could not be recorded must not be sent
      await archive.log.assertMayAppend();
      await assertNotCut(archive); // a hold may be in what is not there
      await this.#run.begin();
      await archive.index.refresh();
      const survey = await this.#selector.survey(signal);
      const { users, wanted, histories } = survey;
      await this.#selector.compareWithOthers(survey, signal);
      await this.#settleIntents();
      const { acceptUnfetched: unfetched } = this.options.rules;
      const proof = new ArchiveProof({ archive, facts, wanted, unfetched, signal });
      for (const user of users) {
        signal.throwIfAborted();
        await this.#alone(user, () => this.#pruneUser(user, { ...this.#tools, proof, histories }));
      }
    } catch (thrown) {
      error = thrown;
    }
    try {
      await deletions.flush();
    } catch (worse) {
      // what is deleted and not recorded is told by its intents; an interruption must not hide that
      if (error === undefined || signal.aborted) return this.#result(worse, 'failed');
    } finally {
      await this.#run.end();
    }
    if (error === undefined && deletions.commits.length > 0) {
      await this.#run.leaveSnapshot();
    }
    return this.#result(error, signal.aborted ? 'interrupted' : 'failed');
  }

  async #settleIntents(): Promise<void> {
    const { archive, signal } = this.options;
    const { intents, view, watch, deletions, summary } = this.#tools;
    const open = await intents.list();
    const intended = new Set(open.map(({ user, session }) => sessionKey(user, session)));
    const keyCheck = new ProjectKeyCheck(archive, view);
    for (const intent of open) {
      signal.throwIfAborted();
      const tools = { archive, intents, view, keyCheck, deletions, intended };
      const settled = await this.#alone(intent.user, () =>
        watch.answerOr(settleIntent(tools, intent), 'unconfirmed'),
      );
      if (settled === 'confirmed') addIntent(summary, intent, undefined);
      if (typeof settled === 'string') continue;
      this.#undecided.add(sessionKey(intent.user, intent.session));
      addIntent(summary, intent, settled);
    }
    // what is recorded is not checked again
    await deletions.flush();
  }

  /** @throws {LeaseHeldError} another run is at work on the user, and is not to be waited for */
  async #alone<T>(user: UserId, work: () => Promise<T>): Promise<T> {
    const { leases, signal } = this.options;
    const wait = leases.noWait ? 'term' : 'endless';
    const lease = await this.#run.leaseUser(user, { wait, signal });
    try {
      return await work();
    } finally {
      await lease.release();
    }
  }

  async #pruneUser(userId: UserId, tools: PruneTools): Promise<void> {
    const user = await tools.facts.sessionsOf(userId);
    const clockWatch = new ClockWatch(this.options.archive.clock);
    const sessions = user.sessions.filter(
      ({ session }) => !this.#undecided.has(sessionKey(userId, session)),
    );
    const asArchived = await this.#selector.select(sessions);
    const hasWork =
      this.#budget.left > 0 && asArchived.chosen.some((choice) => choice.refusal === undefined);
    // a user with nothing to delete is not asked about
    const listing = hasWork
      ? await tools.watch.answerOr(tools.view.list(userId), 'service')
      : refusal('service', 'the service was not asked');
    // what somebody has deleted there since is not among the newest that stay
    const selection =
      'sessions' in listing
        ? await this.#selector.select(sessions, ({ session }) => listing.sessions.has(session))
        : asArchived;
    const listed = 'sessions' in listing ? listing.sessions.size : selection.live;
    const work = new UserPrune(tools, user, listing, clockWatch);
    await walkSelection({
      user: userId,
      selection,
      isNamed: tools.isNamed,
      budget: this.#budget,
      summary: tools.summary,
      wanted: slotsToFree(this.options.rules, listed),
      attempt: work.attempt,
      nameOf: work.nameOf,
    });
  }

  #result(error: unknown, failed: 'interrupted' | 'failed'): PruneResult {
    const { service, archive } = this.options;
    const { summary, deletions, watch } = this.#tools;
    const { requests: api, retries, rateLimited } = service.stats;
    summary.commits.push(...deletions.commits);
    const { requests: files, retries: again } = this.options.fetcher.stats;
    summary.requests = { api, files, retries: retries + again, rate_limited: rateLimited };
    summary.duration_ms = Math.round(archive.clock.monotonic() - this.#startedAt);
    if (error !== undefined) summary.status = failed;
    else summary.status = summary.deletions.refused > 0 ? 'refused' : 'complete';
    const isInterrupted = summary.status === 'interrupted';
    return { summary, error: isInterrupted ? undefined : error, failures: watch.failures };
  }
}

/**
 * Of listings and histories, one that no export asks for, and each run another: a cache in front of the service that says
 * nothing of itself would answer the final check with what it gave the export.
 */
function ownPageSize({ pageSize, archive }: Pick<RunPruneOptions, 'pageSize' | 'archive'>): number {
  const by = 2 + Math.floor(archive.random.fraction() * 9);
  return pageSize > 20 ? pageSize - by : pageSize + by;
}

function scopeOf(rules: PruneRules) {
  const { olderThanMs, keep, freeSlots, users, sessions } = rules;
  return {
    older_than_ms: olderThanMs ?? null,
    keep: keep ?? null,
    free_slots: freeSlots ?? null,
    users: users.length,
    sessions,
  };
}

/** Finds out what became of a deletion that an earlier run had begun and did not live to record. */

export interface SettlingTools {
  readonly archive: Archive;
  readonly intents: Intents;
  readonly view: ServiceView;
  readonly keyCheck: ProjectKeyCheck;
  readonly deletions: DeletionLog;
  /** Sessions, by `sessionKey`, that other intents mean: they need not be listed any more. */
  readonly intended: ReadonlySet<string>;
}

/** `known`: recorded already. `dropped`: still there, to be planned again like any other; its intent may stay. */
export type SettledIntent = 'confirmed' | 'dropped' | 'known' | PruneRefusal;

/**
 * Intents only go forward: a deletion that happened is recorded, one that did not is forgotten.
 *
 * @throws {ServiceError} the service says neither this nor that
 */
export async function settleIntent(tools: SettlingTools, intent: Intent): Promise<SettledIntent> {
  const { archive, intents, view, keyCheck, deletions, intended } = tools;
  const { user, session, commit, job_count: jobCount } = intent;
  const { sessions } = await archive.states.load(user);
  if (sessions.get(session)?.deleted) {
    await intents.remove(intent); // its commit stands; only the tidying up was missing
    return 'known';
  }
  if (!(await view.isGone(intent))) {
    const path = runLeasePath(asRunId(intent.run));
    const standing = await leaseStanding({ ...archive, path });
    if (standing === 'alive') {
      return refusal('unconfirmed', 'another run of this machine is deleting it at this moment');
    }
    // a run elsewhere may go on: until it is known to be dead, an erasure must see its intent (I-50)
    if (standing !== 'unknown') await intents.remove(intent);
    return 'dropped';
  }
  if (!(await keyCheck.seesArchive(user, intended))) {
    return refusal(
      'unproven',
      'an earlier run had begun to delete it, and the service does not find it; but the service lists no session of this archive, so the API key may be that of another project',
    );
  }
  await deletions.add({ user, session, commit, jobCount, outcome: 'confirmed-later', intent });
  return 'confirmed';
}

/**
 * Checks that the API key sees the sessions of this archive. A key of another project gets "not found" for
 * every one of them, which proves nothing.
 */

/** After so many users who should have a session and show none, the key is taken for another project's. */
const MOST_USERS_WITHOUT = 20;

export class ProjectKeyCheck {
  readonly #archive: Archive;
  readonly #service: ServiceView;
  #hasSeen = false;

  constructor(archive: Archive, service: ServiceView) {
    this.#archive = archive;
    this.#service = service;
  }

  /**
   * True where a session of the archive is listed, or where none is left that could be.
   *
   * @param first the user to begin with
   * @param except sessions, by `sessionKey`, that may be gone
   * @throws {ServiceError} a `StaleAnswerError` where it was not the service that listed
   */
  async seesArchive(first: UserId, except: ReadonlySet<string>): Promise<boolean> {
    if (this.#hasSeen) return true;
    let usersWithout = 0;
    for (const user of new Set([first, ...this.#archive.index.users])) {
      const { sessions } = await this.#archive.states.load(user);
      const expected = [...sessions].filter(
        ([session, state]) => isLive(state) && !except.has(sessionKey(user, session)),
      );
      if (expected.length === 0) continue;
      const listing = await this.#service.list(user);
      if (listing.isStale) throw new StaleAnswerError(listing.gap ?? '');
      this.#hasSeen = expected.some(([session]) => listing.sessions.has(session));
      if (this.#hasSeen) return true;
      if (++usersWithout >= MOST_USERS_WITHOUT) break;
    }
    return usersWithout === 0;
  }
}

/** Executes a prune: settles what earlier runs began, then processes the users. */
import type { FailureKind } from '../base/error.js';
import { sessionKey, type RunId, type UserId } from '../model/ids.js';
import { keyOfAnySpelling } from '../model/user-spelling.js';
import type { RequestBudget } from '../service/pace/request-budget.js';
import type { ServiceClient } from '../service/service-client.js';
import type { ArtifactFetcher } from '../artifacts/artifact-fetcher.js';
import { ArchiveRun } from '../archive/runs/archive-run.js';
import { leaveWorkbook } from '../archive/workbooks/run-workbooks.js';
import { ArchiveProof } from './proof/archive-proof.js';
import { ClockWatch } from './clock-refusal.js';
import { commitScopeOf } from './prune-rules.js';
import { refusal } from './refusal.js';
import { SessionSelector, type SelectorOptions } from './session-selector.js';
import { attemptSelected } from './attempt-selected.js';
import { DeletionLog } from './deletion-log.js';
import { Intents } from './intents.js';
import { settleIntents } from './settle-intents.js';
import { FileCheck } from './file-check.js';
import { LogFacts } from '../archive/state/log-facts.js';
import {
  addGoneBefore,
  countSessions,
  emptyPruneSummary,
  type PruneSummary,
} from './prune-summary.js';
import { UserPrune, type PruneTools } from './prune-user.js';
import { slotsToFree } from './selection-rules.js';
import { type AnswerOrRefusal, ServiceFailureTracker } from './service-failure-tracker.js';
import { type ListedByService, ServiceView } from './service-view.js';
import { assertNotCut } from '../archive/witnesses/cut-log.js';

/** The archive is bound to the service: whoever opened it has compared the two. */
export interface RunPruneOptions extends Omit<SelectorOptions, 'facts'> {
  readonly runId: RunId;
  /** The service, which `signal` does not call off: a DELETE that was sent is followed to its end. */
  readonly service: ServiceClient;
  /** The pace of that client, where it is limited. */
  readonly budget?: RequestBudget | undefined;
  /** For files whose URLs say something else than the archived ones: their bytes decide. */
  readonly fetcher: ArtifactFetcher;
  /** The plan that somebody has seen, if anybody has. */
  readonly shown?: PruneSummary | undefined;
  /** Give way to a run that is known to live instead of waiting for it. */
  readonly noWait: boolean;
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

const NOT_ASKED: AnswerOrRefusal<ListedByService> = {
  ok: false,
  refusal: refusal('service', 'the service was not asked'),
};

function namesIn(plan: PruneSummary | undefined): ReadonlyMap<string, string> {
  const named = plan?.sessions ?? [];
  return new Map(
    named.flatMap(({ user, session, name }) =>
      name === null ? [] : [[sessionKey(user, session), name] as const],
    ),
  );
}

/** @throws nothing that ends a run: that is in the result's `error` */
export async function runPrune(options: RunPruneOptions): Promise<PruneResult> {
  return new PruneRun(options).run();
}

class PruneRun {
  readonly #tools: Omit<PruneTools, 'proof' | 'compared' | 'isNamed'>;
  readonly #selector: SessionSelector;
  readonly #archiveRun: ArchiveRun;
  readonly #budget;
  readonly #startedAt;

  constructor(readonly options: RunPruneOptions) {
    const { runId, archive, service, rules, signal } = options;
    const facts = new LogFacts(archive);
    const files = new FileCheck({ ...options, clock: archive.clock });
    const intents = new Intents(archive);
    const scope = commitScopeOf(rules);
    this.#startedAt = archive.clock.monotonic();
    this.#selector = new SessionSelector({ ...options, facts });
    this.#archiveRun = new ArchiveRun({ archive, run: runId });
    this.#budget = { maxDelete: rules.maxDelete, remaining: rules.maxDelete };
    this.#tools = {
      runId,
      rules,
      facts,
      intents,
      budget: options.budget,
      archive,
      signal,
      view: new ServiceView(service, { pageSize: ownPageSize(options) }, files, signal),
      files,
      watch: new ServiceFailureTracker(signal),
      deletions: new DeletionLog({ archive, runId, scope, intents }),
      summary: emptyPruneSummary(archive.storage.location, runId),
      shownNames: namesIn(options.shown),
      holds: this.#selector.holds,
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
      await this.#archiveRun.begin();
      await archive.index.refresh();
      const survey = await this.#selector.survey(signal);
      const { users, wanted, compared } = survey;
      addGoneBefore(this.#tools.summary, survey.goneBefore);
      await this.#selector.compareWithOthers(survey, signal);
      const undecided = await settleIntents({
        ...this.#tools,
        alone: (user, work) => this.#alone(user, work),
      });
      const { acceptUnfetched: unfetched } = this.options.rules;
      const proof = new ArchiveProof({ archive, facts, wanted, unfetched, signal });
      for (const user of users) {
        signal.throwIfAborted();
        await this.#alone(user, () =>
          this.#pruneUser(user, { ...this.#tools, proof, compared }, undecided),
        );
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
      await this.#archiveRun.end();
    }
    if (error === undefined && deletions.commits.length > 0) {
      const snapshot = await this.#archiveRun.leaveSnapshot();
      if (snapshot !== undefined) deletions.commits.push(snapshot);
      await leaveWorkbook({ archive, signal }, this.options.runId);
    }
    return this.#result(error, signal.aborted ? 'interrupted' : 'failed');
  }

  /** @throws {LeaseHeldError} another run is at work on the user, and is not to be waited for */
  async #alone<T>(user: UserId, work: () => Promise<T>): Promise<T> {
    const { noWait, signal } = this.options;
    const wait = noWait ? 'term' : 'endless';
    const lease = await this.#archiveRun.leaseUser(user, { wait, signal });
    try {
      return await work();
    } finally {
      await lease.release();
    }
  }

  /** @param undecided sessions, by `keyOfAnySpelling`, that are left alone */
  async #pruneUser(
    userId: UserId,
    tools: Omit<PruneTools, 'isNamed'>,
    undecided: ReadonlySet<string>,
  ): Promise<void> {
    const user = await tools.facts.sessionsOf(userId);
    const clockWatch = new ClockWatch(this.options.archive.clock);
    const sessions = user.sessions.filter(
      ({ session }) => !undecided.has(keyOfAnySpelling(userId, session)),
    );
    const asArchived = await this.#selector.select(sessions);
    const hasWork =
      this.#budget.remaining > 0 &&
      asArchived.chosen.some((choice) => choice.refusal === undefined);
    // a user with nothing to delete is not asked about
    const listing = hasWork
      ? await tools.watch.answerOr(tools.view.list(userId), 'service')
      : NOT_ASKED;
    // what somebody has deleted there since is not among the newest that stay
    const listed = listing.ok ? listing.value.sessions : undefined;
    const selection = listed
      ? await this.#selector.select(sessions, ({ session }) => listed.has(session))
      : asArchived;
    const isNamed = await this.#selector.isNamed(userId);
    const work = new UserPrune({ ...tools, isNamed }, user, listing, clockWatch);
    await attemptSelected({
      user: userId,
      selection,
      isNamed,
      isOfPlan: this.options.plan !== undefined,
      whyShownShort: this.options.shown?.short_of_slots.find(({ user: one }) => one === userId)
        ?.why,
      budget: this.#budget,
      summary: tools.summary,
      wanted: slotsToFree(this.options.rules, listed?.size ?? selection.live),
      attempt: this.#selector.goingOnce(work.attempt),
      nameOf: work.nameOf,
    });
  }

  #result(error: unknown, statusOnError: 'interrupted' | 'failed'): PruneResult {
    const { archive } = this.options;
    const { summary, deletions, watch } = this.#tools;
    countSessions(summary, this.#selector.spellings);
    summary.commits.push(...deletions.commits);
    summary.requests = requestsOf(this.options);
    summary.duration_ms = Math.round(archive.clock.monotonic() - this.#startedAt);
    if (error !== undefined) summary.status = statusOnError;
    else summary.status = summary.deletions.refused > 0 ? 'refused' : 'complete';
    const isInterrupted = summary.status === 'interrupted';
    return { summary, error: isInterrupted ? undefined : error, failures: watch.failures };
  }
}

/** All that the run has sent, also for the plan that it has shown. */
export function requestsOf({
  service,
  fetcher,
}: Pick<RunPruneOptions, 'service' | 'fetcher'>): PruneSummary['requests'] {
  const { requests: api, retries, rateLimited } = service.stats;
  const { requests: files, retries: again } = fetcher.stats;
  return { api, files, retries: retries + again, rate_limited: rateLimited };
}

/**
 * A page size of listings and histories that no export asks for, and each run another: a cache in front of the service
 * that says nothing of itself would answer the final check with what it gave the export.
 */
function ownPageSize({ pageSize, archive }: RunPruneOptions): number {
  const by = 2 + Math.floor(archive.random.fraction() * 9);
  return pageSize > 20 ? pageSize - by : pageSize + by;
}

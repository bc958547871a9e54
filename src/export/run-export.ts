/** The pipeline for many users: bounded, resumable, committed in checkpoints; others go on when one fails. */
import pLimit from 'p-limit';
import { CommitConflictError } from '../archive/commit-conflict-error.js';
import type { UserState } from '../archive/user-state.js';
import { RunAbandonedError } from '../archive/run-abandoned-error.js';
import { nowMicros } from '../base/clock.js';
import type { FailureKind } from '../base/error.js';
import { ulid } from '../base/ulid.js';
import { asRunId, type RunId, type UserId } from '../model/ids.js';
import { formatTimestamp } from '../model/timestamp.js';
import { PageGrant } from '../service/page-grant.js';
import { Checkpointer, type CommittedCheckpoint } from './checkpointer.js';
import type { ExportOptions } from './export-options.js';
import type { ExportRun } from './export-run.js';
import { emptySummary, type ExportSummary } from './export-summary.js';
import { FailureWatch } from './failure-watch.js';
import { failureOf } from './gap.js';
import { beginRun } from './run-watch.js';
import { retryPlanOf } from './retry-gaps.js';
import { exportUser, type UserOutcome, type UserToExport } from './user-export.js';
import { UserLeases } from './user-leases.js';
import { goThrough } from './user-queue.js';

export interface ExportResult {
  readonly summary: ExportSummary;
  /** What ended the run before its time; undefined for a run that went through all its users. */
  readonly error: unknown;
  /** The kinds of failure behind the gaps. */
  readonly failures: ReadonlySet<FailureKind>;
}

/** Conflicts with other runs in a row, without one commit of our own, before the run gives way. */
const MAX_CONFLICTS = 20;

/**
 * Exports every user, and says what came of it. What has been committed stays, whatever happens.
 *
 * @throws nothing that ends a run: that is in the result's `error`
 */
export async function runExport(options: ExportOptions): Promise<ExportResult> {
  const runId = options.runId ?? asRunId(ulid(options.clock, options.random));
  const head = await options.archive.log.head();
  const watch = await beginRun(options, runId);
  try {
    const begun = { runId, base: head?.number ?? 0, commits: watch.commits };
    return await new Pipeline(options, begun).run();
  } finally {
    await watch.end();
  }
}

/** What is known of a run before it does any work. */
interface BegunRun {
  readonly runId: RunId;
  /** The newest commit before the run began. */
  readonly base: number;
  /** Those that the run has made already. */
  readonly commits: readonly number[];
}

class Pipeline {
  readonly #runId;
  readonly #exportedAt;
  readonly #startedAt;
  readonly #summary: ExportSummary;
  readonly #checkpointer: Checkpointer;
  readonly #grants;
  readonly #failures = new FailureWatch();
  readonly #failureKinds = new Set<FailureKind>();
  /** Users that no commit vouches for yet. */
  readonly #pending: Set<UserId>;
  readonly #outcomes = new Map<string, UserOutcome>();
  readonly #states = new Map<UserId, UserState>();
  /** Of users whose work is not committed: the newest commit that their state takes into account. */
  readonly #plannedFrom = new Map<UserId, number>();
  readonly #leases: UserLeases;
  #conflicts = 0;
  #isSaved = true;

  constructor(
    readonly options: ExportOptions,
    { runId, base, commits }: BegunRun,
  ) {
    const { archive, clock, random, settings, logger } = options;
    this.#runId = runId;
    this.#exportedAt = nowMicros(clock);
    this.#startedAt = clock.monotonic();
    this.#pending = new Set(options.users);
    this.#summary = emptySummary(archive.storage.location, this.#runId);
    this.#summary.commits.push(...commits);
    this.#summary.users.total = this.#pending.size;
    this.#grants = {
      sessions: new PageGrant(options.pageSize),
      history: new PageGrant(options.pageSize),
    };
    this.#leases = new UserLeases({
      ...{ storage: archive.storage, run: this.#runId, clock, random, logger, ...options.leases },
    });
    const newest = () => Math.max(base, archive.index.through);
    this.#checkpointer = new Checkpointer({
      ...{ archive, clock, logger },
      base: () => [...this.#plannedFrom.values()].reduce((a, b) => Math.min(a, b), newest()),
      ...{ formats: options.formats, withWorkbook: options.withWorkbook, tool: options.tool },
      run: this.#runId,
      day: formatTimestamp(this.#exportedAt).slice(0, 10),
      scope: {
        users: this.#pending.size,
        sessions: settings.sessions,
        search: settings.search ?? null,
        full: settings.full,
        ...(settings.retryGaps ? { retry_gaps: true } : {}),
      },
      sizeBytes: options.checkpointBytes,
      commitsBefore: commits.length,
      onCommit: (committed) => this.#committed(committed),
    });
  }

  async run(): Promise<ExportResult> {
    let error: unknown;
    try {
      while (!(await this.#attempt())) this.#conflicts++;
      await this.#checkpointer.discard(); // files that came for jobs that failed
    } catch (thrown) {
      error = await this.#saveWhatIsReady(thrown);
    } finally {
      await this.#leases.releaseAll();
    }
    return this.#result(error);
  }

  /** Goes through the users that are still pending; false when another run came in between. */
  async #attempt(): Promise<boolean> {
    const stop = new AbortController();
    const signal = AbortSignal.any([this.options.signal, stop.signal]);
    const ticking = this.#commitInIntervals(stop);
    try {
      await this.#exportPending(this.#runWith(signal), stop);
      await this.#checkpointer.commit();
      return true;
    } catch (error) {
      const cause: unknown = stop.signal.aborted ? stop.signal.reason : error;
      if (!(cause instanceof CommitConflictError) || this.options.signal.aborted) throw cause;
      if (this.#conflicts >= MAX_CONFLICTS) throw cause;
      this.options.logger.warn(
        { newest: cause.newest },
        'another run has committed the same sessions; planning again',
      );
      this.#plannedFrom.clear();
      await this.#checkpointer.restart();
      return false;
    } finally {
      stop.abort();
      await ticking;
    }
  }

  /** As many users at a time as sessions: whoever is listed already fills the room that others leave. */
  async #exportPending(run: ExportRun, stop: AbortController): Promise<void> {
    const limit = pLimit(this.options.concurrency);
    const guarded = async <T>(work: () => Promise<T>): Promise<T> => {
      try {
        run.signal.throwIfAborted();
        return await work();
      } catch (error) {
        stop.abort(error);
        throw error;
      }
    };
    await goThrough(this.#pending, {
      ...{ leases: this.#leases, width: this.options.concurrency, signal: run.signal },
      work: async (user) => {
        await this.#exportOne(run, user, (work) => limit(() => guarded(work)));
      },
      commit: () => this.#checkpointer.commit(),
      onFailure: (error) => {
        stop.abort(error);
      },
    });
  }

  async #exportOne(run: ExportRun, userId: UserId, admit: UserToExport['admit']): Promise<void> {
    const { archive, settings } = this.options;
    const state = await archive.states.load(userId);
    const retry = settings.retryGaps ? retryPlanOf(state, archive.index) : undefined;
    if (retry?.isDue === false) {
      this.#pending.delete(userId);
      this.#summary.users.complete++;
      await this.#leases.release(userId);
      return;
    }
    this.#states.set(userId, state);
    this.#plannedFrom.set(userId, state.through);
    const outcome = await exportUser(run, { userId, state, retry, admit });
    this.#outcomes.set(userId, outcome);
    await this.#checkpointer.addUser(outcome.entry);
    if (this.#outcomes.has(userId)) await this.#leases.keep(userId);
  }

  async #commitInIntervals(stop: AbortController): Promise<void> {
    const { clock, checkpointIntervalMs } = this.options;
    while (!stop.signal.aborted) {
      try {
        await clock.sleep(checkpointIntervalMs, stop.signal);
        await this.#checkpointer.commit();
      } catch (error) {
        stop.abort(error); // no effect where the run has stopped anyway
      }
    }
  }

  /** An interrupted or failing run keeps what it has; the error to report, a worse one if saving fails. */
  async #saveWhatIsReady(error: unknown): Promise<unknown> {
    const cannotCommit =
      error instanceof RunAbandonedError ||
      error instanceof CommitConflictError ||
      ['storage', 'integrity'].includes(failureOf(error));
    try {
      if (!cannotCommit) await this.#checkpointer.commit();
      this.#isSaved = !cannotCommit;
      return error;
    } catch (worse) {
      this.#isSaved = false;
      return failureOf(worse) === 'unexpected' && !this.options.signal.aborted ? error : worse;
    } finally {
      await this.#checkpointer.discard();
    }
  }

  async #committed(checkpoint: CommittedCheckpoint): Promise<void> {
    const summary = this.#summary;
    this.#conflicts = 0;
    summary.commits.push(checkpoint.number);
    checkpoint.tally.addTo(summary);
    for (const { user } of checkpoint.users) this.#settle(user);
    await this.#saveStates(new Set(checkpoint.sessions.map(({ user }) => user)));
    for (const { user } of checkpoint.users) {
      this.#states.delete(user);
      this.#plannedFrom.delete(user);
      await this.#leases.release(user);
    }
    this.options.observer.committed?.(checkpoint.number);
  }

  async #saveStates(users: Iterable<UserId>): Promise<void> {
    const { states } = this.options.archive;
    for (const user of users) {
      const state = this.#states.get(user);
      const updated = await (state ? states.update(state) : states.load(user));
      await states.save(updated);
      this.#states.set(user, updated);
    }
  }

  /** A user's outcome counts once a commit holds it. */
  #settle(userId: UserId): void {
    const outcome = this.#outcomes.get(userId);
    if (!outcome) return;
    this.#outcomes.delete(userId);
    this.#pending.delete(userId);
    const { entry, gaps, errors } = outcome;
    const { users, sessions } = this.#summary;
    if (entry.error !== null) users.failed++;
    else if (entry.complete) users.complete++;
    sessions.listed += entry.listed;
    sessions.new += entry.sessions.new;
    sessions.changed += entry.sessions.changed;
    sessions.unchanged += entry.sessions.unchanged;
    sessions.failed += entry.sessions.failed;
    this.#summary.gaps.push(...gaps);
    errors.forEach((error) => this.#failureKinds.add(failureOf(error)));
  }

  #runWith(signal: AbortSignal): ExportRun {
    const { service, fetcher, settings, clock, logger, observer } = this.options;
    return {
      ...{ runId: this.#runId, exportedAt: this.#exportedAt, checkpointer: this.#checkpointer },
      ...{ service, fetcher, settings, clock, logger, observer, signal },
      ...{ grants: this.#grants, failures: this.#failures },
    };
  }

  #result(error: unknown): ExportResult {
    const { service, fetcher, clock, signal } = this.options;
    const summary = this.#summary;
    summary.requests = {
      api: service.stats.requests,
      files: fetcher.stats.requests,
      retries: service.stats.retries + fetcher.stats.retries,
      rate_limited: service.stats.rateLimited,
    };
    summary.duration_ms = Math.round(clock.monotonic() - this.#startedAt);
    const isInterrupted = error !== undefined && signal.aborted && this.#isSaved;
    if (isInterrupted) summary.status = 'interrupted';
    else if (error !== undefined) summary.status = 'failed';
    else summary.status = summary.gaps.length > 0 ? 'gaps' : 'complete';
    return { summary, error: isInterrupted ? undefined : error, failures: this.#failureKinds };
  }
}

/** The pipeline for many users: bounded, resumable, committed in checkpoints; others go on when one fails. */
import pLimit from 'p-limit';
import { CommitConflictError } from '../archive/log/commit-conflict-error.js';
import type { ArchiveRun } from '../archive/runs/archive-run.js';
import { MAX_CONFLICTS } from '../archive/runs/plan-again.js';
import { RunAbandonedError } from '../archive/runs/run-abandoned-error.js';
import { nowMicros } from '../base/clock.js';
import { silentTracer } from '../base/tracer.js';
import { ulid } from '../base/ulid.js';
import { asRunId, type UserId } from '../model/ids.js';
import { formatTimestamp } from '../model/timestamp.js';
import { PageGrant } from '../service/page-grant.js';
import { lookKeeperOf, type LookKeeper } from './budget/look-keeper.js';
import { Checkpointer, type CommittedCheckpoint } from './checkpoint/checkpointer.js';
import type { ExportOptions } from './export-options.js';
import { DatasetRows } from './datasets/dataset-rows.js';
import type { ExportRun } from './export-run.js';
import { FailureWatch } from './failure-watch.js';
import { failureOf } from './jobs/gap.js';
import { beginRun } from './run-watch.js';
import { scopeOf } from './run-scope.js';
import { RunTally, type ExportResult } from './run-tally.js';
import { retryPlanOf } from './users/retry-gaps.js';
import { exportUser, type UserToExport } from './users/user-export.js';
import { UserLeases } from './users/user-leases.js';
import { goThrough } from './users/user-queue.js';
import { UsersInHand } from './users/users-in-hand.js';

/**
 * Exports every user, and says what came of it. What has been committed stays, whatever happens.
 *
 * @throws nothing that ends a run: that is in the result's `error`
 */
export async function runExport(options: ExportOptions): Promise<ExportResult> {
  const runId = options.runId ?? asRunId(ulid(options.clock, options.random));
  const head = await options.archive.log.head();
  const run = await beginRun(options, runId);
  try {
    return await new Pipeline(options, run, head?.number ?? 0).run();
  } finally {
    await run.end();
  }
}

class Pipeline {
  readonly #runId;
  readonly #exportedAt;
  readonly #tally: RunTally;
  readonly #checkpointer: Checkpointer;
  readonly #grants;
  readonly #failures = new FailureWatch();
  readonly #inHand: UsersInHand;
  readonly #leases: UserLeases;
  readonly #looks: LookKeeper;
  readonly #datasets = new DatasetRows();
  /** Users who are being worked on. */
  #working = 0;
  #conflicts = 0;
  #isSaved = true;

  /** @param base the newest commit before the run began */
  constructor(
    readonly options: ExportOptions,
    run: ArchiveRun,
    base: number,
  ) {
    const { commits } = run;
    const { archive, service, fetcher, clock, logger } = options;
    const { tracer = silentTracer } = options;
    this.#runId = run.run;
    this.#exportedAt = nowMicros(clock);
    this.#inHand = new UsersInHand(options.users, archive.states);
    this.#tally = new RunTally({
      run: this.#runId,
      commits,
      users: this.#inHand.size,
      service,
      fetcher,
      clock,
      location: archive.storage.location,
      shard: options.shard,
    });
    this.#grants = {
      sessions: new PageGrant(options.pageSize),
      history: new PageGrant(options.pageSize),
    };
    this.#leases = new UserLeases({ run, noWait: options.leases.noWait, tracer });
    this.#looks = lookKeeperOf(options);
    const newest = () => Math.max(base, archive.index.through);
    this.#checkpointer = new Checkpointer({
      archive,
      clock,
      logger,
      tracer,
      base: () => this.#inHand.plannedFrom(newest()),
      formats: options.formats,
      withWorkbook: options.withWorkbook,
      tool: options.tool,
      run: this.#runId,
      day: formatTimestamp(this.#exportedAt).slice(0, 10),
      scope: scopeOf(options, this.#inHand.size),
      sizeBytes: options.checkpointBytes,
      commitsBefore: commits.length,
      onCommit: (committed) => this.#committed(committed),
    });
  }

  async run(): Promise<ExportResult> {
    let error: unknown;
    try {
      await this.#looks.prepare(this.#inHand.all());
      while (!(await this.#attempt())) this.#conflicts++;
      await this.#checkpointer.discard(); // files that came for jobs that failed
    } catch (thrown) {
      error = await this.#saveWhatIsReady(thrown);
    } finally {
      await this.#leases.releaseAll();
    }
    const isInterrupted = error !== undefined && this.options.signal.aborted && this.#isSaved;
    this.#tally.summary.budget = await this.#looks.end();
    return this.#tally.result(error, { isInterrupted });
  }

  /** Goes through the users that are still pending; false when another run came in between. */
  async #attempt(): Promise<boolean> {
    const stop = new AbortController();
    const signal = AbortSignal.any([this.options.signal, stop.signal]);
    const ticking = this.#commitInIntervals(stop);
    try {
      const run = this.#runWith(signal);
      await this.#datasets.add(run, { ...this.options, tally: this.#tally });
      await this.#exportPending(run, stop);
      await this.#failures.assertAnswered(() => this.#checkpointer.restart());
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
      this.#inHand.forgetPlans();
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
    await goThrough(this.#nextUser(run.signal), {
      leases: this.#leases,
      width: this.options.concurrency,
      signal: run.signal,
      patience: this.#looks.patience(run.signal),
      work: (user) => {
        this.#working++;
        return this.#exportOne(run, user, (work) => limit(() => guarded(work))).finally(() => {
          this.#working--;
        });
      },
      commit: () => this.#checkpointer.commit(),
      onFailure: (error) => {
        stop.abort(error);
      },
    });
  }

  /** After another run's commit those that are in hand come first. */
  #nextUser(signal: AbortSignal): () => Promise<UserId | undefined> {
    const { source } = this.options;
    const known = this.#looks.sorted(this.#inHand.all()).values();
    return async () => {
      let next = known.next();
      for (; !next.done && this.#looks.isExhausted; next = known.next()) {
        await this.#letGo(next.value);
      }
      if (!next.done || !source) return next.value;
      if (this.#inHand.size >= source.mostInHand) await this.#checkpointer.commit();
      const user = await source.next(signal, () => this.#working === 0);
      if (user === undefined) return undefined;
      this.#inHand.take(user);
      this.#tally.summary.users.total++;
      return user;
    };
  }

  async #exportOne(run: ExportRun, userId: UserId, admit: UserToExport['admit']): Promise<void> {
    const { archive, settings } = this.options;
    const state = await archive.states.load(userId);
    const retry = settings.retryGaps ? retryPlanOf(state, archive.index) : undefined;
    const isDue = retry?.isDue !== false;
    if (!isDue) {
      this.#tally.summary.users.complete++;
      this.#looks.notDue(userId);
    }
    const visit = isDue ? await this.#looks.begin(userId) : undefined;
    if (!visit) return this.#letGo(userId);
    this.#inHand.planned(state);
    const outcome = await exportUser(run, { userId, state, retry, visit, admit });
    if (!outcome) return this.#letGo(userId);
    this.#inHand.done(outcome);
    await this.#checkpointer.addUser(outcome.entry);
    if (this.#inHand.isDone(userId)) await this.#leases.keep(userId);
  }

  /** Without a look: there is nothing to look for, or no budget for it. */
  async #letGo(userId: UserId): Promise<void> {
    this.#inHand.letGo(userId);
    this.#inHand.forgetState(userId);
    await this.#leases.release(userId);
    this.options.source?.settled(userId, undefined);
    this.options.observer.userFinished?.(userId);
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
    const { summary } = this.#tally;
    this.#conflicts = 0;
    summary.commits.push(checkpoint.number);
    checkpoint.tally.addTo(summary);
    this.#tally.unfinished.committed();
    this.#datasets.committed();
    const outcomes = checkpoint.users.flatMap(({ user }) => this.#inHand.settle(user) ?? []);
    for (const outcome of outcomes) this.#tally.add(outcome);
    await this.#inHand.saveStates(new Set(checkpoint.sessions.map(({ user }) => user)));
    for (const { user } of checkpoint.users) {
      await this.#looks.committed(user, this.#inHand.stateOf(user));
      this.#inHand.forgetState(user);
      await this.#leases.release(user);
    }
    for (const outcome of outcomes) this.options.source?.settled(outcome.entry.user, outcome);
    this.options.observer.committed?.(checkpoint.number);
  }

  #runWith(signal: AbortSignal): ExportRun {
    const { service, fetcher, settings, clock, logger, tracer = silentTracer } = this.options;
    const observer = this.#tally.unfinished.observing(this.options.observer);
    return {
      runId: this.#runId,
      exportedAt: this.#exportedAt,
      checkpointer: this.#checkpointer,
      service,
      fetcher,
      settings,
      clock,
      logger,
      observer,
      tracer,
      signal,
      grants: this.#grants,
      failures: this.#failures,
    };
  }
}

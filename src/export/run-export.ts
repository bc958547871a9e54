/** Exports many users: bounded, resumable, committed in checkpoints. If one user fails, the others continue. */
import { Spellings } from '../archive/reading/users/listed-again.js';
import { OpenDeletions } from '../archive/open-deletions.js';
import { UserSpellings } from '../archive/reading/users/user-spellings.js';
import { SharedJobs } from '../archive/histories/shared-jobs.js';
import { CommitConflictError, RunAbandonedError } from '../archive/archive-errors.js';
import { fromSnapshot, type Archive } from '../archive/archive.js';
import { ArchiveRun } from '../archive/runs/archive-run.js';
import { leaveWorkbook } from '../archive/workbooks/run-workbooks.js';
import { ConflictCount } from '../archive/runs/plan-again.js';
import { nowMicros } from '../base/runtime.js';
import { failureOf, messageOf } from '../base/error.js';
import { StorageError } from '../storage/storage-errors.js';
import { ulid } from '../base/ulid.js';
import { asRunId, type RunId, type UserId } from '../model/ids.js';
import { userCount } from '../model/user-spelling.js';
import { formatTimestamp } from '../model/times/timestamp.js';
import { PageGrant } from '../service/page.js';
import { AfterCommit } from './after-commit.js';
import { Checkpointer } from './checkpoint/checkpointer.js';
import type { ExportOptions } from './export-options.js';
import { DatasetRows } from './datasets/dataset-rows.js';
import { type ExportRun, partOf } from './export-run.js';
import { CircuitBreaker } from './circuit-breaker.js';
import { isOfProject } from './project-of-key.js';
import { SameImages } from './jobs/same-images.js';
import { RunLap } from './laps/run-lap.js';
import { RunTally, type ExportResult } from './run-tally.js';
import { CheckedList } from './users/checked-list.js';
import { markSameImages } from './users/mark-same-images.js';
import { PendingUsers } from './users/pending-users.js';
import { RunUsers } from './users/run-users.js';
import { recordSharedJobs } from './users/shared-sessions.js';
import { UserLeases } from './users/user-leases.js';
import type { CommitScope } from '../archive/log/commit.js';

/**
 * Exports every user and returns the outcome. Committed work stays, whatever happens.
 *
 * Does not throw an error that ends a run: that is in the result's `error`.
 */
export async function runExport(options: ExportOptions): Promise<ExportResult> {
  const { archive } = options;
  // what is new is found with the newest snapshot, and decided by the log: it refuses what another run has done meanwhile
  const reading = fromSnapshot(archive);
  const runId = options.runId ?? asRunId(ulid(archive.clock, archive.random));
  const head = await archive.log.head();
  const run = await beginRun({ ...options, reading }, runId);
  try {
    await reading.delta.tryPublish(archive.logger, { begin: options.beginsDelta === true });
    const planning = { ...options, archive: reading };
    const list = options.list && (await CheckedList.of(planning, options.list, runId));
    const result = await new Pipeline(planning, run, { base: head?.number ?? 0, list }).run();
    const isLost = ['storage', 'integrity'].includes(failureOf(result.error));
    if (result.summary.commits.length > 0 && !isLost && !options.signal.aborted) {
      const snapshot = await run.leaveSnapshot(reading, options.snapshotPace);
      if (snapshot !== undefined) result.summary.commits.push(snapshot);
      await leaveWorkbook({ archive: reading, signal: options.signal }, runId);
    }
    return result;
  } finally {
    await run.end();
  }
}

/** 50 MB: 3 million jobs. Sessions after those are compared with these alone; a prune compares all. */
const COMPARED_SLOTS = 2 ** 22;

/**
 * A run and its parts:
 *
 * - the identity: what every row and commit records of the run
 * - the users: those whose work is not committed, their leases, the lap with its budget, the queue of them
 * - the datasets, which belong to no user
 * - the checkpointer: collects finished jobs and commits them
 * - the failures: whether the service still answers
 * - the tally: the counts of the summary
 * - what follows a commit (`AfterCommit`)
 *
 * First the service is asked for what the archive has, and the budget is planned. Then attempts follow until no other run has committed meanwhile. An attempt
 * adds the datasets, exports the users, commits the rest, and records which sessions have jobs in common and which
 * images have the same bytes, while a timer commits at intervals. At the end,
 * also after a failure, finished work is committed and the leases are released.
 */
class Pipeline {
  readonly #options: ExportOptions;
  readonly #runId: RunId;
  readonly #exportedAt: bigint;
  readonly #pending: PendingUsers;
  readonly #leases: UserLeases;
  readonly #lap: RunLap;
  readonly #users: RunUsers;
  readonly #datasets = new DatasetRows();
  readonly #checkpointer: Checkpointer;
  readonly #failures = new CircuitBreaker();
  readonly #exported = new SharedJobs(COMPARED_SLOTS);
  readonly #images: SameImages;
  readonly #spellings: UserSpellings;
  readonly #openDeletions: OpenDeletions;
  #isOfProject = false;
  readonly #tally: RunTally;
  readonly #grants;
  readonly #conflicts: ConflictCount;
  readonly #list: CheckedList | undefined;
  #isSaved = true;

  /** @param before.base the newest commit before the run began */
  constructor(
    options: ExportOptions,
    run: ArchiveRun,
    { base, list }: { readonly base: number; readonly list: CheckedList | undefined },
  ) {
    const { run: runId, commits } = run;
    const { archive, service, fetcher, pageSize, noWait } = options;
    const { clock } = archive;
    this.#options = options;
    this.#list = list;
    const { doubtsSameImages = true } = options.settings;
    this.#images = new SameImages(
      (sha256) => !doubtsSameImages || archive.index.acceptedGaps.image(sha256) !== undefined,
    );
    this.#openDeletions = new OpenDeletions(archive.storage);
    this.#spellings = new UserSpellings(() => [
      ...new Set([...archive.index.users, ...options.users]),
    ]);
    this.#runId = runId;
    this.#exportedAt = nowMicros(clock);
    const pending = new PendingUsers(options.users);
    const leases = new UserLeases({ run, noWait });
    const lap = lapOfExport(options);
    this.#pending = pending;
    this.#leases = leases;
    this.#lap = lap;
    this.#users = new RunUsers(options, { pending, leases, lap });
    this.#tally = new RunTally({
      run: runId,
      commits,
      users: pending.size,
      service,
      fetcher,
      clock,
      location: archive.storage.location,
      shard: options.shard,
      part: partOf(options.settings),
      hasOtherSpelling: (user) => this.#spellings.othersOf(user).length > 0,
    });
    this.#conflicts = new ConflictCount(this.#tally.summary.commits);
    this.#grants = {
      sessions: new PageGrant(pageSize, false),
      history: new PageGrant(pageSize, false),
    };
    const scope = scopeOf(options, pending.all());
    const tally = this.#tally;
    this.#checkpointer = new Checkpointer({
      archive,
      service,
      pending,
      base,
      run: runId,
      day: formatTimestamp(this.#exportedAt).slice(0, 10),
      scope: () => {
        const { suppressed } = this.#users;
        const skips = !options.source && suppressed > 0;
        return {
          ...scope,
          ...(this.#datasets.gaps > 0 && { dataset_gaps: this.#datasets.gaps }),
          ...(skips && { suppressed }),
          ...(list?.doubt !== undefined && { doubtful_list: true }),
        };
      },
      sizeBytes: options.checkpointBytes,
      commitsBefore: commits.length,
      after: new AfterCommit({ ...options, tally, pending, leases, lap }),
    });
  }

  async run(): Promise<ExportResult> {
    let error: unknown;
    try {
      this.#isOfProject = await isOfProject(this.#options);
      await this.#users.prepare();
      while (!(await this.#attempt()));
      await this.#checkpointer.discard(); // files of failed jobs
    } catch (thrown) {
      error = await this.#commitPending(thrown);
    } finally {
      await this.#leases.releaseAll();
    }
    const isInterrupted = error !== undefined && this.#options.signal.aborted && this.#isSaved;
    const budget = await this.#lap.end();
    if (budget && this.#datasets.areLeft) budget.datasets_left = true;
    this.#tally.summary.budget = budget;
    if (error === undefined || isInterrupted) await this.#countSpellingsOnce();
    return this.#tally.result(error, { isInterrupted });
  }

  async #countSpellingsOnce(): Promise<void> {
    const { archive } = this.#options;
    if (!this.#tally.hasSpellings) return;
    await archive.index.refresh();
    this.#tally.countOnce((await Spellings.in(archive)).listedAgain);
  }

  /** Exports the pending users; false if another run committed meanwhile. */
  async #attempt(): Promise<boolean> {
    const stop = new AbortController();
    const signal = AbortSignal.any([this.#options.signal, stop.signal]);
    const ticking = this.#commitInIntervals(stop);
    try {
      const run = this.#runWith(signal);
      await this.#datasets.add(run, { ...this.#options, tally: this.#tally });
      await this.#users.process(run, this.#tally, stop);
      await this.#failures.assertAnswered(() => this.#checkpointer.restart());
      await this.#users.recordNeverSeen(run, this.#tally, this.#list);
      const isDoubtful = this.#list?.doubt !== undefined;
      await this.#checkpointer.commit({ always: isDoubtful });
      this.#tally.summary.doubtful_list = this.#list?.doubt;
      const [pending, leases, tally] = [this.#pending, this.#leases, this.#tally];
      await recordSharedJobs(run, { pending, leases, tally, source: this.#options.source });
      await markSameImages(run, { pending, leases });
      return true;
    } catch (error) {
      const cause: unknown = stop.signal.aborted ? stop.signal.reason : error;
      if (!(cause instanceof CommitConflictError) || this.#options.signal.aborted) throw cause;
      if (this.#conflicts.isOneTooMany()) throw cause;
      this.#options.archive.logger.warn(
        { newest: cause.newest },
        'another run has committed the same sessions; planning again',
      );
      this.#pending.forgetPlans();
      await this.#checkpointer.restart();
      return false;
    } finally {
      stop.abort();
      await ticking;
    }
  }

  async #commitInIntervals(stop: AbortController): Promise<void> {
    const { archive, checkpointIntervalMs } = this.#options;
    while (!stop.signal.aborted) {
      try {
        await archive.clock.sleep(checkpointIntervalMs, stop.signal);
        // what was listed and has not changed is committed once, at the end
        if (!this.#checkpointer.hasOnlyListings) await this.#checkpointer.commit();
      } catch (error) {
        stop.abort(error); // no effect if the run has already stopped
      }
    }
  }

  /** Commits the finished work of an interrupted or failed run. Returns the error to report: a worse one if that fails. */
  async #commitPending(error: unknown): Promise<unknown> {
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
      return failureOf(worse) === 'unexpected' && !this.#options.signal.aborted ? error : worse;
    } finally {
      await this.#checkpointer.discard();
    }
  }

  #runWith(signal: AbortSignal): ExportRun {
    const { archive, service, fetcher, settings, observer } = this.#options;
    return {
      runId: this.#runId,
      exportedAt: this.#exportedAt,
      checkpointer: this.#checkpointer,
      service,
      fetcher,
      settings,
      archive,
      observer,
      signal,
      grants: this.#grants,
      failures: this.#failures,
      exported: this.#exported,
      images: this.#images,
      owners: this.#tally.owners,
      unfinished: this.#tally.unfinished,
      spellings: this.#spellings,
      openDeletions: this.#openDeletions,
      isOfProject: this.#isOfProject,
    };
  }
}

function lapOfExport({ archive, settings, lap, budget, pageSize }: ExportOptions): RunLap {
  const { storage, index, clock, logger } = archive;
  const { rereadMs } = settings;
  // a run for some sessions, or for what has gaps, has no part in a lap
  const scope = partOf(settings) === undefined ? lap : undefined;
  return new RunLap({ storage, index, scope, budget, rereadMs, pageSize, clock, logger });
}

/** @param users those known when the run begins */
function scopeOf(
  { settings, source, shard, scope }: ExportOptions,
  users: readonly UserId[],
): CommitScope {
  return {
    ...(source ? {} : usersIn(users)),
    sessions: settings.sessions,
    search: settings.search ?? null,
    full: settings.full,
    ...(settings.retryGaps ? { retry_gaps: true } : {}),
    ...(settings.withDatasets ? { with_datasets: true } : {}),
    ...(shard === undefined ? {} : { shard }),
    ...scope,
  };
}

/** How many users, and how many people they are, where some are spellings of one. */
function usersIn(users: readonly UserId[]): CommitScope {
  const people = userCount(users);
  return { users: users.length, ...(people < users.length && { people }) };
}

/** Begins a run and cleans up after dead ones. */
interface BeginOptions extends Pick<ExportOptions, 'archive'> {
  /** The same archive as a reader opens it: the log is read to its beginning only where there is something to clean up. */
  readonly reading: Archive;
}

/**
 * Begins a run and cleans up. If the storage fails during the clean-up, that is only logged, unless its lists are wrong.
 *
 * @returns the run; the caller ends it
 * @throws {IntegrityError} the log is damaged
 * @throws {StorageError} the storage does not list what is there
 */
export async function beginRun({ archive, reading }: BeginOptions, id: RunId): Promise<ArchiveRun> {
  const run = new ArchiveRun({ archive, run: id });
  try {
    await run.begin();
    await run.abandonDead(reading);
  } catch (error) {
    if (
      failureOf(error) !== 'storage' ||
      (error instanceof StorageError && error.trouble === 'lists')
    ) {
      await run.end();
      throw error;
    }
    archive.logger.warn({ reason: messageOf(error) }, 'cannot clean up after dead runs');
  }
  return run;
}

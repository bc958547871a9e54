/** Runs a worker: checks its options, connects to Redis and starts its session. */
import { randomUUID } from 'node:crypto';
import { silentLogger } from '../base/logger.js';
import { systemRandom, systemClock } from '../base/runtime.js';
import { checkBaseUrl } from '../base/http/proxy.js';
import { checkApiKey } from '../service/options.js';
import { checkPermissions, authorizeRun, type ArchiveLocation } from './authorize-run.js';
import { assertHasArchive, queueOfWorker, lossesOf } from './archives-at-work.js';
import {
  checkQueueName,
  isLastAttempt,
  jobTaker,
  readable,
  REQUEUE_MS,
  runJobId,
  runQueue,
  SHUTDOWN_MS,
  userQueue,
  USERS_QUEUE,
  type UserJob,
  type UserJobData,
} from './queues.js';
import { asRedisError, withRedis, isRedisFailure } from './redis.js';
import {
  idleSummary,
  type WorkerOptions,
  type WorkerResult,
  type WorkerSummary,
  type SessionOptions,
} from './worker-options.js';
import { UnrecoverableError, type Worker } from './bullmq.js';
import { SigningKeyError } from '../archive/archive-errors.js';
import { failureOf, messageOf, type FailureKind, UsageError } from '../base/error.js';
import { redactText } from '../base/text/redact.js';
import { abortable } from '../base/concurrently.js';
import { answersAnybody, exportFromQueue } from './export-from-queue.js';
import { ClaimedJobs } from './claimed-jobs.js';
import { QueueSource } from './queue-source.js';
import { decodeRunRecord, type RunRecord } from './run-record.js';
import { RunFinisher } from './finish-run.js';
import { lostResult, type UserResult } from './user-result.js';
import { keepNote, type WorkerActivity } from './shard-environment.js';

/**
 * Resolves when the worker was stopped, has been idle for long enough, or cannot continue.
 *
 * @throws {UsageError} an option is invalid
 * @throws {RedisError} Redis cannot be reached at the beginning; later outages are waited out
 */
export async function runWorker(options: WorkerOptions): Promise<WorkerResult> {
  const { redis: url, logger = silentLogger } = options;
  checkBaseUrl(options.baseUrl);
  checkApiKey(options.apiKey);
  checkPermissions(options);
  if (options.queue === undefined) assertHasArchive(options);
  const runtime = {
    logger,
    clock: options.clock ?? systemClock,
    random: options.random ?? systemRandom,
    signal: options.signal ?? new AbortController().signal,
  };
  const named = options.queue === undefined ? undefined : checkQueueName(options.queue);
  const { summary, error } = await withRedis({ url, logger, retries: 'endless' }, async (redis) => {
    const worker = randomUUID();
    const queue = named ?? (await queueOfWorker({ ...options, ...runtime }));
    if (queue === undefined) return { summary: idleSummary(worker), error: undefined };
    return new WorkerSession({ ...options, ...runtime, redis, queue, worker }).run();
  });
  return { summary, error: asRedisError(url, error) };
}

/** Runs one worker while it is connected to Redis: claims users, exports them, finishes runs. */

/** Between two polls of empty queues. */
const POLL_INTERVAL_MS = 1000;
/** Pause after a temporary failure, such as an unreachable service. */
const RECOVERY_MS = 30_000;
/** A worker may run for months: its log has the others. */
const KEPT_GAPS = 20;
/** The worker ends after this many exports in a row for which the service answered nobody. */
const MAX_UNANSWERED = 10;

class WorkerSession {
  readonly #users: Worker<UserJobData, UserResult>;
  readonly #finisher: RunFinisher;
  readonly #queues: { users: ReturnType<typeof userQueue>; runs: ReturnType<typeof runQueue> };
  readonly #claimed: ClaimedJobs;
  readonly #summary: WorkerSummary;
  readonly #ended = new AbortController();
  /** Claimed users of other runs than the exported one. */
  #next: UserJob[] = [];
  /** The own archive, and those of the runs it has worked on. */
  readonly #archives = new Map<string, ArchiveLocation>();
  /** Exports in a row for which the service answered nobody. */
  #unanswered = 0;
  #activity: Pick<WorkerActivity, 'state' | 'run'> = { state: 'waiting', run: null };
  readonly #options: SessionOptions;

  constructor(options: SessionOptions) {
    this.#options = options;
    const { out, storage } = options;
    if (out !== undefined) this.#archives.set(out, { out, storage });
    const { worker, clock, logger, redis, queue } = options;
    this.#queues = { users: userQueue(redis, queue), runs: runQueue(redis, queue) };
    this.#users = jobTaker(USERS_QUEUE, options);
    this.#finisher = new RunFinisher(options);
    this.#claimed = new ClaimedJobs({
      ...{ taker: this.#users, worker, clock, logger },
      onGivenUp: this.#gaveUp,
    });
    this.#summary = idleSummary(worker);
  }

  async run(): Promise<WorkerResult> {
    const { clock, signal, logger, worker } = this.#options;
    const beganMs = clock.monotonic();
    const side = [
      this.#claimed.renewUntil(this.#ended.signal),
      keepNote(this.#options, () => this.#currentActivity(), this.#ended.signal),
    ];
    logger.info({ worker }, 'waiting for users');
    let error: unknown;
    try {
      await this.#work();
      this.#summary.lost = await lossesOf(this.#archives.values(), this.#options);
      if (this.#summary.lost.runs > 0) this.#summary.status = 'lost';
    } catch (thrown) {
      if (!signal.aborted) error = thrown;
    }
    if (signal.aborted) this.#summary.status = 'interrupted';
    else if (error !== undefined) this.#summary.status = 'failed';
    await this.#shutDown();
    await Promise.all(side);
    this.#summary.finished = this.#finisher.finished;
    this.#summary.duration_ms = Math.round(clock.monotonic() - beganMs);
    return { summary: this.#summary, error };
  }

  async #work(): Promise<void> {
    const { clock, signal, exitWhenIdleMs = Infinity } = this.#options;
    let busyMs = clock.monotonic();
    for (;;) {
      const idleMs = clock.monotonic() - busyMs;
      if (idleMs >= exitWhenIdleMs && !(await this.#mayBeRequeued(idleMs))) return;
      const hasFinished = await this.#finisher.finishOne((run) => {
        this.#activity = { state: 'finishing', run };
      });
      this.#activity = { state: 'waiting', run: null };
      const { ended } = this.#claimed;
      const job = this.#next.shift() ?? (await abortable(this.#claimed.take(), signal));
      if (job) await this.#exportWith(job);
      // `take` may also have ended a user, and a run with it
      if (job || hasFinished || this.#claimed.ended > ended) busyMs = clock.monotonic();
      else await clock.sleep(Math.min(POLL_INTERVAL_MS, exitWhenIdleMs), signal);
    }
  }

  /**
   * Whether claimed users may return to the queue: from a worker that died, or from an answer lost with a broken
   * connection, possibly this worker's own. This may be the last worker that can take them.
   */
  async #mayBeRequeued(idleMs: number): Promise<boolean> {
    if (idleMs >= REQUEUE_MS) return false;
    const { users, runs } = this.#queues;
    const left = Promise.all(
      [users, runs].map((queue) => queue.getJobCountByTypes('active', 'wait')),
    );
    return (await abortable(left, this.#options.signal)).some((count) => count > 0);
  }

  /** Exports users of one run, beginning with this one. */
  async #exportWith(first: UserJob): Promise<void> {
    const options = this.#options;
    const { clock, logger, signal } = options;
    let accepted: { readonly record: RunRecord; readonly location: ArchiveLocation };
    try {
      accepted = await this.#accept(first.data.run);
    } catch (error) {
      if (!(error instanceof UsageError)) throw error;
      logger.error({ run: first.data.run, reason: error.message }, 'a user cannot be exported');
      this.#gaveUp(first.data.user, error.message);
      this.#claimed.fail(first, new UnrecoverableError(error.message));
      return;
    }
    const { record, location } = accepted;
    this.#archives.set(location.out, location);
    this.#activity = { state: 'exporting', run: record.name };
    const onSettled = (outcome: 'complete' | 'gaps' | 'again', result?: UserResult) => {
      this.#summary.users[outcome]++;
      if (result) addGaps(this.#summary, result);
    };
    const source = new QueueSource({ claimed: this.#claimed, first, clock, onSettled });
    const error = await exportFromQueue({
      options,
      record,
      location,
      first,
      source,
      summary: this.#summary,
    });
    this.#next.push(...source.others);
    this.#activity = { state: signal.aborted ? 'draining' : 'waiting', run: null };
    const silence = failureOf(error) === 'unreachable' ? error : source.silence;
    const isSilent = silence !== undefined && !isRedisFailure(error) && !signal.aborted;
    if (isSilent && !(await answersAnybody(options, record))) {
      await this.#waitForService(silence, source);
      return;
    }
    if (!signal.aborted) source.answered();
    this.#unanswered = 0;
    await abortable(this.#claimed.flush(), signal).catch(() => undefined);
    if (error === undefined) return;
    await this.#recover(error, source);
  }

  /**
   * That nobody answers is no attempt at any user, and makes no gap.
   *
   * @throws the error if the service has been silent for long
   */
  async #waitForService(error: unknown, source: QueueSource): Promise<void> {
    const { clock, logger, signal } = this.#options;
    for (const job of source.unsettled) this.#giveBack(job);
    if (++this.#unanswered >= MAX_UNANSWERED) throw error;
    logger.warn(
      { reason: messageOf(error) },
      `the service answers nobody; all users are given back, and the next export starts in ${RECOVERY_MS / 1000} s`,
    );
    await clock.sleep(RECOVERY_MS, signal);
  }

  /** @throws the error if this worker cannot continue; another machine may be able to */
  async #recover(error: unknown, source: QueueSource): Promise<void> {
    const { clock, logger, signal } = this.#options;
    const failure = failureOf(error);
    const [first, ...others] = source.unsettled;
    if (signal.aborted && ['storage', 'integrity'].includes(failure)) {
      logger.error(
        { reason: redactText(messageOf(error)) },
        'could not commit the users that were done',
      );
    }
    if (signal.aborted || isRedisFailure(error)) {
      for (const job of source.unsettled) this.#giveBack(job);
      if (!signal.aborted) throw error;
    } else if (!(error instanceof SigningKeyError) && isCausedByRun(failure)) {
      // the run or one of these users is the cause: retried a few times, then recorded as a gap
      logger.error({ reason: messageOf(error) }, 'users could not be exported');
      for (const job of source.unsettled) this.#fail(job, error);
    } else if (failure === 'unreachable' || failure === 'locked') {
      // counts as an attempt for one user only: the service answers others
      if (first) this.#fail(first, error);
      for (const job of others) this.#giveBack(job);
      logger.warn(
        { reason: messageOf(error) },
        `the export was interrupted; the next one starts in ${RECOVERY_MS / 1000} s`,
      );
      await clock.sleep(RECOVERY_MS, signal);
    } else {
      for (const job of source.unsettled) this.#giveBack(job);
      throw error;
    }
  }

  /** @throws {UsageError} the queue has no such run, or this worker may not execute it */
  async #accept(
    run: string,
  ): Promise<{ readonly record: RunRecord; readonly location: ArchiveLocation }> {
    const job = await abortable(
      readable(this.#queues.runs.getJob(runJobId(run))),
      this.#options.signal,
    );
    if (!job) throw new UsageError(`the queue has no run ${run}`);
    const record = decodeRunRecord(run, job.data);
    return { record, location: authorizeRun(record, this.#options) };
  }

  #fail(job: UserJob, error: unknown): void {
    if (isLastAttempt(job)) this.#gaveUp(job.data.user, redactText(messageOf(error)));
    else this.#summary.users.again++;
    this.#claimed.fail(job, new Error(messageOf(error)));
  }

  readonly #gaveUp = (user: string, reason: string): void => {
    this.#summary.users.gaps++;
    addGaps(this.#summary, lostResult(user, reason));
  };

  #giveBack(job: UserJob): void {
    this.#summary.users.returned++;
    this.#claimed.giveBack(job);
  }

  #currentActivity(): WorkerActivity {
    const { complete, gaps } = this.#summary.users;
    return { ...this.#activity, claimed: this.#claimed.size, done: complete + gaps };
  }

  async #shutDown(): Promise<void> {
    for (const job of this.#claimed.all()) this.#giveBack(job);
    const waiting = new AbortController();
    await Promise.race([
      this.#claimed.flush(),
      this.#options.clock.sleep(SHUTDOWN_MS, waiting.signal).catch(() => undefined),
    ]);
    waiting.abort();
    this.#ended.abort();
    await Promise.all([this.#users.close(true), this.#finisher.close()]);
  }
}

function addGaps(summary: WorkerSummary, { gaps, gap_count: count }: UserResult): void {
  summary.gap_count += count;
  const open = gaps.filter(({ accepted }) => accepted !== true);
  summary.gaps.push(...open.slice(0, KEPT_GAPS - summary.gaps.length));
}

function isCausedByRun(failure: FailureKind): boolean {
  return failure === 'usage' || failure === 'unexpected';
}

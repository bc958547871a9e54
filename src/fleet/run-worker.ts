/** Runs a worker: checks its options, connects to Redis and starts its session. */
import { randomUUID } from 'node:crypto';
import { runtimeOf, type Runtime } from '../base/runtime.js';
import { checkBaseUrl } from '../base/http/base-url.js';
import { checkApiKey } from '../service/create-service-client.js';
import { ownIdOf } from '../archive/identity.js';
import { usersNowAtTheCap } from '../archive/reading/users/at-the-cap.js';
import { openArchiveIn, readIdentity } from '../archive/open-archive.js';
import { openStorage } from '../storage/open-storage.js';
import { assertSizesFit } from '../storage/size-limit.js';
import {
  checkQueueName,
  jobTaker,
  queueOfArchive,
  readable,
  runJobId,
  runQueue,
  userQueue,
  USERS_QUEUE,
  type UserBatch,
  type BatchJob,
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
import { failureOf, messageOf, UsageError } from '../base/error.js';
import { redactText } from '../base/text/redact.js';
import { abortable } from '../base/abortable.js';
import { gapsOfArchive } from '../export/open-gaps.js';
import {
  answersAnybody,
  exportFromQueue,
  QueueSource,
  type Settled,
  type SettledWhole,
} from './queue-source.js';
import { ClaimedBatches } from './claimed-batches.js';
import { RedisBudget } from './redis-budget.js';
import { decodeRunRecord, OtherArchiveError, type RunRecord } from './queue-records.js';
import { type BatchResult } from './batch-tally.js';
import { RunFinisher } from './run-finisher.js';
import { lapBeganAt } from './queue-lap.js';
import { lostRuns } from './lost-users.js';
import { splitBatch } from './split-batch.js';
import { countGaps, wholeGap, type Gap } from '../export/jobs/gap.js';
import type { UserOutcome } from '../export/users/user-outcome.js';
import { keepNote, type WorkerActivity } from './worker-notes.js';

/**
 * Resolves when the worker was stopped, has been idle for long enough, or cannot continue.
 *
 * @throws {UsageError} an option is invalid
 * @throws {RedisError} Redis cannot be reached at the beginning; later outages are waited out
 */
export async function runWorker(options: WorkerOptions): Promise<WorkerResult> {
  const { redis: url } = options;
  checkBaseUrl(options.baseUrl);
  checkApiKey(options.apiKey);
  const runtime = runtimeOf(options);
  const { logger, terms } = runtime;
  const named = options.queue === undefined ? undefined : checkQueueName(options.queue);
  const { summary, error } = await withRedis(
    { url, logger, terms, retries: 'endless' },
    async (redis) => {
      const worker = randomUUID();
      const archive = await idOfArchive({ ...options, ...runtime });
      if (archive === undefined) {
        logger.warn({}, nobodyText(null));
        return { summary: { ...idleSummary(worker), last_run_at: null }, error: undefined };
      }
      const queue = named ?? queueOfArchive(archive);
      return new WorkerSession({ ...options, ...runtime, redis, queue, archive, worker }).run();
    },
  );
  return { summary, error: asRedisError(url, error) };
}

/**
 * After how many searches for expired locks, when a lock's term is over, the users of a dead worker are in the queue
 * again, also on a busy machine.
 */
const STALLED_CHECKS = 4;
/** Users of an export with a budget: it gets their share together. */
const PLANNED_USERS = 500;
/** A worker may run for months: its log has the others. */
const KEPT_GAPS = 20;
/** The worker ends after this many exports in a row that were interrupted. */
const MAX_INTERRUPTED = 10;

/**
 * The id of the worker's archive. Waits until there is one: a worker may start before the first `enqueue`.
 *
 * @returns undefined if the worker is to end before there is an archive
 * @throws {UsageError} the archive's place takes no object of the sizes that are given
 * @throws the signal's reason
 */
async function idOfArchive(options: WorkerOptions & Runtime): Promise<string | undefined> {
  const { out, clock, logger, signal, terms, exitWhenIdleMs = Infinity } = options;
  const storage = await openStorage(out, options.storage, logger);
  const beganMs = clock.monotonic();
  try {
    assertSizesFit(storage, options);
    for (let wasLogged = false; ; wasLogged = true) {
      const identity = await readIdentity(storage);
      if (identity) return ownIdOf(identity);
      if (clock.monotonic() - beganMs >= exitWhenIdleMs) return undefined;
      if (!wasLogged) logger.info({ out }, 'there is no archive yet; waiting for jobvault enqueue');
      await clock.sleep(Math.min(terms.pollMs, exitWhenIdleMs), signal);
    }
  } finally {
    await storage.close();
  }
}

/** Runs one worker while it is connected to Redis: claims users, exports them, finishes runs. */
class WorkerSession {
  readonly #users: Worker<UserBatch, BatchResult>;
  readonly #finisher: RunFinisher;
  readonly #queues: { users: ReturnType<typeof userQueue>; runs: ReturnType<typeof runQueue> };
  readonly #claimed: ClaimedBatches;
  readonly #summary: WorkerSummary;
  readonly #ended = new AbortController();
  /** Claimed batches that are not part of the export under way. */
  #next: BatchJob[] = [];
  /** Exports in a row that were interrupted, and for which the service answered nobody, or the archive was locked. */
  #interrupted = 0;
  /** Whether a run had a budget: only then the queue has a lap. */
  #hasBudget = false;
  #activity: Pick<WorkerActivity, 'state' | 'run'> = { state: 'waiting', run: null };
  readonly #options: SessionOptions;

  constructor(options: SessionOptions) {
    this.#options = options;
    const { worker, clock, logger, terms, redis, queue } = options;
    this.#queues = { users: userQueue(redis, queue), runs: runQueue(redis, queue) };
    this.#users = jobTaker(USERS_QUEUE, options);
    this.#finisher = new RunFinisher(options);
    this.#claimed = new ClaimedBatches({
      taker: this.#users,
      worker,
      clock,
      logger,
      terms,
      onGivenUp: this.#gaveUp,
      split: (job) => splitBatch(job, options),
    });
    this.#summary = idleSummary(worker);
  }

  async run(): Promise<WorkerResult> {
    const { clock, signal, logger, worker } = this.#options;
    const beganMs = clock.monotonic();
    const sinceMs = clock.now();
    const side = [
      this.#claimed.renewUntil(this.#ended.signal),
      keepNote(this.#options, () => this.#currentActivity(), this.#ended.signal),
    ];
    logger.info({ worker }, 'waiting for users');
    let error: unknown;
    try {
      await this.#work();
      this.#summary.lost = await this.#losses();
      if (this.#summary.lost.runs > 0) this.#summary.status = 'lost';
      else if (Object.values(this.#summary.users).every((count) => count === 0)) {
        await this.#findLastRun(sinceMs);
      }
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
    const { clock, signal, terms, exitWhenIdleMs = Infinity } = this.#options;
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
      else await clock.sleep(Math.min(terms.pollMs, exitWhenIdleMs), signal);
    }
  }

  /**
   * Whether claimed users may return to the queue: from a worker that died, or from an answer lost with a broken
   * connection, possibly this worker's own. This may be the last worker that can take them.
   */
  async #mayBeRequeued(idleMs: number): Promise<boolean> {
    const { lockMs, stalledCheckMs } = this.#options.terms;
    if (idleMs >= lockMs + STALLED_CHECKS * stalledCheckMs) return false;
    const { users, runs } = this.#queues;
    const pendingCounts = Promise.all(
      [users, runs].map((queue) => queue.getJobCountByTypes('active', 'wait')),
    );
    return (await abortable(pendingCounts, this.#options.signal)).some((count) => count > 0);
  }

  /** That nobody was on the queue is right where others have read everybody, and a failed `enqueue` elsewhere. */
  async #findLastRun(sinceMs: number): Promise<void> {
    const { runs } = this.#queues;
    const { signal, logger } = this.#options;
    const open = runs.getJobCountByTypes('waiting-children', 'wait', 'active', 'delayed');
    if ((await abortable(open, signal)) > 0) return;
    const newest = await abortable(readable(runs.getJobs(['completed', 'failed'], 0, 0)), signal);
    const endedMs = Math.max(0, ...newest.map(({ finishedOn = 0 }) => finishedOn));
    const lastRun = endedMs === 0 ? null : new Date(endedMs).toISOString();
    this.#summary.last_run_at = lastRun;
    if (endedMs < sinceMs) logger.warn({}, nobodyText(lastRun));
  }

  /** Looks at the archive: what is open in it, and runs that the queue has lost users of. Each is logged. @returns how many runs and users */
  async #losses(): Promise<WorkerSummary['lost']> {
    const { redis, queue, out, storage: options, logger } = this.#options;
    const losses = { runs: 0, users: 0 };
    const storage = await openStorage(out, options, logger);
    try {
      if (!(await readIdentity(storage))) return losses;
      const archive = await openArchiveIn(storage, { logger });
      const { gaps, left, accepted } = await gapsOfArchive(archive);
      this.#summary.open_gaps = gaps;
      this.#summary.accepted = accepted;
      // where no budget leaves anything, what is not read to its end alarms as every gap
      this.#summary.left_gaps = this.#hasBudget ? left : 0;
      this.#summary.at_the_cap = await usersNowAtTheCap(archive);
      const began = this.#hasBudget ? await lapBeganAt(storage) : undefined;
      if (began !== undefined) this.#summary.lap_began_at = began;
      for (const { run, lost, users } of await lostRuns(redis, queue, archive)) {
        losses.runs++;
        losses.users += lost.length;
        logger.error(
          { run, queue, lost: lost.length, users: users.size },
          `the queue has lost this run or users of it; jobvault enqueue --resume ${run} puts them back`,
        );
      }
      return losses;
    } finally {
      await storage.close();
    }
  }

  /** Exports users of one run, beginning with this batch. */
  async #exportWith(first: BatchJob): Promise<void> {
    const options = this.#options;
    const { clock, logger, signal, terms } = options;
    const { run, users } = first.data;
    const record = await this.#recordOf(run);
    if (record instanceof UsageError) {
      const refusal = record;
      logger.error({ run, users: users.length, reason: refusal.message }, 'users are not exported');
      this.#gaveUp(users, refusal.message);
      this.#claimed.fail(first, new UnrecoverableError(refusal.message));
      return;
    }
    this.#activity = { state: 'exporting', run };
    const onSettled = (settled: Settled, outcome?: UserOutcome) => {
      this.#summary.users[settled]++;
      if (outcome?.vanished !== undefined) this.#summary.users.vanished++;
      if (outcome?.vanished === 'newly') this.#summary.users.newly_vanished++;
      if (outcome) addGaps(this.#summary, outcome.gaps);
    };
    const onDoubted = (gaps: readonly Gap[], was: SettledWhole | undefined) => {
      if (was) {
        this.#summary.users[was]--;
        this.#summary.users.with_gaps++;
      }
      addGaps(this.#summary, gaps);
    };
    const claimed = this.#claimed;
    const source = new QueueSource({ claimed, first, clock, terms, onSettled, onDoubted });
    const error = await this.#export(record, source);
    this.#next.push(...source.others);
    this.#activity = { state: signal.aborted ? 'draining' : 'waiting', run: null };
    const silence = failureOf(error) === 'unreachable' ? error : source.silence;
    const isSilent = silence !== undefined && !isRedisFailure(error) && !signal.aborted;
    if (isSilent && !(await answersAnybody(options))) {
      await this.#waitForService(silence, source);
      return;
    }
    if (!signal.aborted) source.answered();
    await abortable(this.#claimed.flush(), signal).catch(() => undefined);
    if (error === undefined) this.#interrupted = 0;
    else await this.#recover(error, source);
  }

  /** @returns the error or interruption that ended it early; undefined if all users were settled */
  async #export(record: RunRecord, source: QueueSource): Promise<unknown> {
    const options = this.#options;
    const { redis, queue, signal, maxRequests: requests } = options;
    const { name: run, users: runUsers } = record;
    const queued = { options, record, source, summary: this.#summary };
    const users = [source.firstUser];
    if (requests === undefined) {
      return (await exportFromQueue({ ...queued, users, maxRequests: undefined })).error;
    }
    try {
      const all = await source.claimTogether(PLANNED_USERS, signal);
      const shared = new RedisBudget(redis, queue, run);
      const grant = await abortable(
        shared.grant(all.length, { users: runUsers, requests }),
        signal,
      );
      const end = await exportFromQueue({ ...queued, users: all, maxRequests: grant });
      this.#hasBudget = true;
      this.#summary.overdue ||= end.budget?.overdue === true;
      const settling = shared.settle(grant, end.budget, source.unsettledUsers);
      await abortable(settling, signal).catch(() => undefined);
      return end.error;
    } catch (error) {
      return error;
    }
  }

  /**
   * That nobody answers is no attempt at any user, and makes no gap.
   *
   * @throws the error if the service has been silent for long
   */
  async #waitForService(error: unknown, source: QueueSource): Promise<void> {
    const { clock, logger, signal, terms } = this.#options;
    this.#giveBack(source);
    if (++this.#interrupted >= MAX_INTERRUPTED) throw error;
    logger.warn(
      { reason: messageOf(error) },
      `the service answers nobody; all users are given back, and the next export starts in ${terms.recoveryMs / 1000} s`,
    );
    await clock.sleep(terms.recoveryMs, signal);
  }

  /** @throws the error if this worker cannot continue; another machine may be able to */
  async #recover(error: unknown, source: QueueSource): Promise<void> {
    const { clock, logger, signal, terms } = this.#options;
    const failure = failureOf(error);
    if (signal.aborted && ['storage', 'integrity'].includes(failure)) {
      const reason = redactText(messageOf(error));
      logger.error({ reason }, 'could not commit the users that were done');
    }
    if (signal.aborted || isRedisFailure(error)) {
      this.#giveBack(source);
      if (!signal.aborted) throw error;
    } else if (failure === 'unexpected' && !(error instanceof SigningKeyError)) {
      // one of these users is the cause: retried a few times, then recorded as a gap
      logger.error({ reason: messageOf(error) }, 'users could not be exported');
      source.fail(new Error(messageOf(error)), this.#failed(error));
    } else if (['unreachable', 'locked'].includes(failure)) {
      // counts as an attempt for one user only: the service answers others
      const isCounted = source.interrupt(new Error(messageOf(error)), this.#failed(error));
      this.#giveBack(source);
      if (isCounted) this.#interrupted = 0;
      else if (++this.#interrupted >= MAX_INTERRUPTED) throw error;
      logger.warn(
        { reason: messageOf(error) },
        `the export was interrupted; the next one starts in ${terms.recoveryMs / 1000} s`,
      );
      await clock.sleep(terms.recoveryMs, signal);
    } else {
      this.#giveBack(source);
      throw error;
    }
  }

  /**
   * The record of a run, or why its users are not exported.
   *
   * @throws {OtherArchiveError} that archive's workers can export them
   */
  async #recordOf(run: string): Promise<RunRecord | UsageError> {
    const { archive, out, signal } = this.#options;
    let record: RunRecord;
    try {
      const job = await abortable(readable(this.#queues.runs.getJob(runJobId(run))), signal);
      if (!job) return new UsageError(`the queue has no run ${run}`);
      record = decodeRunRecord(run, job.data);
    } catch (error) {
      if (error instanceof UsageError) return error;
      throw error;
    }
    if (record.archive !== archive) throw new OtherArchiveError(record, out);
    return record;
  }

  #failed(error: unknown): (user: string, isLast: boolean) => void {
    const reason = redactText(messageOf(error));
    return (user, isLast) => {
      if (isLast) this.#gaveUp([user], reason);
      else this.#summary.users.again++;
    };
  }

  readonly #gaveUp = (users: readonly string[], reason: string): void => {
    this.#summary.users.failed += users.length;
    const lost = users.map((user): Gap => ({ user, session: null, ...wholeGap('failed', reason) }));
    addGaps(this.#summary, lost);
  };

  #giveBack(source: QueueSource): void {
    this.#summary.users.returned += source.giveBack();
  }

  #currentActivity(): WorkerActivity {
    const { complete, incomplete_by_decision: decided, with_gaps, failed } = this.#summary.users;
    const done = complete + decided + with_gaps + failed;
    return { ...this.#activity, claimed: this.#claimed.size, done };
  }

  async #shutDown(): Promise<void> {
    for (const job of this.#claimed.all()) {
      this.#summary.users.returned += job.data.users.length;
      this.#claimed.giveBack(job);
    }
    const waiting = new AbortController();
    await Promise.race([
      this.#claimed.flush(),
      this.#options.clock
        .sleep(this.#options.terms.shutdownMs, waiting.signal)
        .catch(() => undefined),
    ]);
    waiting.abort();
    this.#ended.abort();
    await Promise.all([this.#users.close(true), this.#finisher.close()]);
  }
}

function nobodyText(lastRun: string | null): string {
  const last = lastRun === null ? 'it knows no run' : `the last run ended at ${lastRun}`;
  return `nobody was on the queue, and ${last}: see whether jobvault enqueue has failed`;
}

function addGaps(summary: WorkerSummary, gaps: readonly Gap[]): void {
  summary.gap_counts = countGaps(gaps, summary.gap_counts);
  const named = [...summary.gaps, ...gaps.filter(({ accepted }) => accepted !== true)];
  const isKnown = ({ known }: Gap) => known === true;
  summary.gaps = [...named.filter((gap) => !isKnown(gap)), ...named.filter(isKnown)].slice(
    0,
    KEPT_GAPS,
  );
}

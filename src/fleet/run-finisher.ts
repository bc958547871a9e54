/** Finishes runs whose users are all done: takes a run from the queue, keeps it locked, and records its summary or failure. */
import { type RunJob, jobTaker, LOCK_RENEWALS, readable, runOfJob, RUNS_QUEUE } from './queues.js';
import { recordFailure } from './queued-run.js';
import { OtherArchiveError, type RunRecord, decodeRunRecord } from './queue-records.js';
import { type RunSummary } from './run-summary.js';
import { UsersLostError } from './fleet-errors.js';
import { UnrecoverableError, type Worker } from './bullmq.js';
import { SigningKeyError, SigningStartError } from '../archive/archive-errors.js';
import { messageOf, UsageError } from '../base/error.js';
import { abortable, abortableAfter } from '../base/abortable.js';
import type { SessionOptions } from './worker-options.js';
import { finishRun } from './finish-run.js';

export class RunFinisher {
  readonly #options: SessionOptions;
  readonly #taker: Worker<RunRecord, RunSummary>;
  #taken = 0;
  #finished = 0;

  constructor(options: SessionOptions) {
    this.#options = options;
    this.#taker = jobTaker(RUNS_QUEUE, options);
  }

  /** How many runs it has finished. */
  get finished(): number {
    return this.#finished;
  }

  /**
   * @param onBegin called with the run's name
   * @returns whether there was one
   * @throws {SigningKeyError | SigningStartError | OtherArchiveError} another worker can finish it
   */
  async finishOne(onBegin: (run: string) => void): Promise<boolean> {
    const options = this.#options;
    const { logger, worker, terms } = options;
    const token = `${worker}:run:${++this.#taken}`;
    const job = await this.#next(token);
    if (!job) return false;
    const ended = new AbortController();
    const locking = this.#keepLocked(job, token, ended.signal);
    const soon = <T>(work: Promise<T>) => abortableAfter(terms.shutdownMs, work, options);
    try {
      const record = decodeRunRecord(runOfJob(job), job.data);
      if (record.archive !== options.archive) throw new OtherArchiveError(record, options.out);
      onBegin(record.name);
      const summary = await soon(finishRun(job, { ...options, record }));
      await soon(job.moveToCompleted(summary, token, false));
      this.#finished++;
      logger.info({ run: record.name, status: summary.status, ...summary.users }, 'run finished');
    } catch (error) {
      if (
        error instanceof SigningKeyError ||
        error instanceof SigningStartError ||
        error instanceof OtherArchiveError
      ) {
        await soon(job.moveToWait(token)).catch(() => undefined);
        throw error;
      }
      logger.error({ run: job.id, reason: messageOf(error) }, 'a run could not be finished');
      const isRefused = error instanceof UsageError || error instanceof UsersLostError;
      const reason = isRefused
        ? new UnrecoverableError(error.message)
        : new Error(messageOf(error));
      const failing = recordFailure(job, error).then(() => job.moveToFailed(reason, token, false));
      await soon(failing).catch(() => undefined);
    } finally {
      ended.abort();
      await locking;
    }
    return true;
  }

  async close(): Promise<void> {
    await this.#taker.close(true);
  }

  async #next(token: string): Promise<RunJob | undefined> {
    const { signal, logger } = this.#options;
    try {
      return await abortable(readable(this.#taker.getNextJob(token, { block: false })), signal);
    } catch (error) {
      if (!(error instanceof UsageError)) throw error;
      logger.error({ reason: error.message }, 'a run cannot be finished');
      return undefined;
    }
  }

  async #keepLocked(job: RunJob, token: string, signal: AbortSignal): Promise<void> {
    const { clock, terms } = this.#options;
    try {
      for (;;) {
        await clock.sleep(terms.lockMs / LOCK_RENEWALS, signal);
        job.extendLock(token, terms.lockMs).catch(() => undefined);
      }
    } catch {
      return; // aborted: the run has ended
    }
  }
}

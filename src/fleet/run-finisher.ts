/** Finishes runs whose users are all done: takes a run from the queue, keeps it locked, and records its summary or failure. */
import { UnrecoverableError, type Worker } from './bullmq.js';
import { SigningKeyError } from '../archive/signing-key-error.js';
import { messageOf } from '../base/error.js';
import { UsageError } from '../base/usage-error.js';
import { abortable, abortableAfter } from '../base/abortable.js';
import { authorizeRun } from './authorize-run.js';
import { finishRun } from './finish-run.js';
import { recordFailure } from './read-run.js';
import {
  jobTaker,
  LOCK_MS,
  readable,
  runJobId,
  RUNS_QUEUE,
  SHUTDOWN_MS,
  type RunJob,
} from './queues.js';
import { decodeRunRecord, type RunRecord } from './run-record.js';
import type { RunSummary } from './run-summary.js';
import { UsersLostError } from './fleet-errors.js';
import type { SessionOptions } from './session-options.js';

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
   * @throws {SigningKeyError} the archive is signed: another worker may have the key
   */
  async finishOne(onBegin: (run: string) => void): Promise<boolean> {
    const options = this.#options;
    const { redis, clock, random, logger, signer, worker } = options;
    const token = `${worker}:run:${++this.#taken}`;
    const job = await this.#next(token);
    if (!job) return false;
    const ended = new AbortController();
    const locking = this.#keepLocked(job, token, ended.signal);
    const soon = <T>(work: Promise<T>) => abortableAfter(SHUTDOWN_MS, work, options);
    try {
      const record = decodeRunRecord((job.id ?? '').slice(runJobId('').length), job.data);
      const location = authorizeRun(record, options);
      onBegin(record.name);
      const summary = await soon(
        finishRun(job, { redis, record, location, signer, clock, random, logger }),
      );
      await soon(job.moveToCompleted(summary, token, false));
      this.#finished++;
      logger.info({ run: record.name, status: summary.status, ...summary.users }, 'run finished');
    } catch (error) {
      if (error instanceof SigningKeyError) {
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
    try {
      for (;;) {
        await this.#options.clock.sleep(LOCK_MS / 3, signal);
        job.extendLock(token, LOCK_MS).catch(() => undefined);
      }
    } catch {
      return; // aborted: the run has ended
    }
  }
}

/** The batches of users that this worker has claimed from the queue. Each claim is renewed until the batch is done or given back. */
import { UnrecoverableError, type Worker } from './bullmq.js';
import type { Runtime } from '../base/runtime.js';
import { messageOf, UsageError } from '../base/error.js';
import { redactText } from '../base/text/redact.js';
import { abortable } from '../base/abortable.js';
import { decodeBatch, LOCK_RENEWALS, readable, type UserBatch, type BatchJob } from './queues.js';
import type { BatchResult } from './batch-tally.js';

export interface ClaimedBatchesOptions extends Pick<Runtime, 'clock' | 'logger' | 'terms'> {
  readonly taker: Worker<UserBatch, BatchResult>;
  /** This worker's name in its claims. */
  readonly worker: string;
  /** Told of users whom no worker will be offered any more; with the batch's id where its record does not say whose it is. */
  readonly onGivenUp: (users: readonly string[], reason: string) => void;
  /** Makes several batches of one on which a worker has died. Returns what came of its users without any of these. */
  readonly split: (job: BatchJob) => Promise<BatchResult>;
}

interface Claim {
  /** The job that `take` returned: identifies the claim to its caller. */
  readonly handle: BatchJob;
  /** The job as the queue offered it last. */
  readonly job: BatchJob;
  readonly token: string;
}

export class ClaimedBatches {
  /** By job id. */
  readonly #claims = new Map<string, Claim>();
  readonly #ending = new Set<Promise<void>>();
  /** Results that the queue refused because the lock had expired: reported when the job comes back. */
  readonly #unreported = new Map<string, BatchResult>();
  #taken = 0;
  #ended = 0;
  readonly #options: ClaimedBatchesOptions;

  constructor(options: ClaimedBatchesOptions) {
    this.#options = options;
  }

  get size(): number {
    return this.#claims.size;
  }

  /** How many have been done or given back so far. */
  get ended(): number {
    return this.#ended;
  }

  all(): BatchJob[] {
    return [...this.#claims.values()].map(({ handle }) => handle);
  }

  /**
   * Claims the next batch without waiting; undefined if the queue is empty. A job that is already claimed is not
   * returned twice: if its lock expired and the queue offers it again, the claim is renewed.
   */
  async take(): Promise<BatchJob | undefined> {
    const { worker } = this.#options;
    for (;;) {
      const token = `${worker}:${++this.#taken}`;
      const job = await this.#next(token);
      if (!job) return undefined;
      const id = idOf(job);
      const { handle } = this.#claims.get(id) ?? {};
      this.#claims.set(id, { handle: handle ?? job, job, token });
      if (handle) continue;
      const result = this.#unreported.get(id);
      const refusal = refusalOf(job);
      // `deferredFailure`: too many workers have died on this batch
      if (refusal) this.#refuse(job, refusal);
      else if (job.deferredFailure) this.#giveUp(job, job.data.users, job.deferredFailure);
      else if (result) this.complete(job, result);
      else if (!mayBeSplit(job)) return job;
      else this.complete(job, await this.#options.split(job));
      await this.flush();
    }
  }

  /** Skips a record that cannot be read: its lock expires, and the queue offers it again. */
  async #next(token: string): Promise<BatchJob | undefined> {
    const { taker, logger } = this.#options;
    for (;;) {
      try {
        return await readable(taker.getNextJob(token, { block: false }));
      } catch (error) {
        if (!(error instanceof UsageError)) throw error;
        logger.error({ reason: error.message }, 'a user cannot be taken from the queue');
      }
    }
  }

  #refuse(job: BatchJob, reason: string): void {
    this.#options.logger.error({ job: idOf(job), reason }, 'a record of the queue is refused');
    this.#giveUp(job, [idOf(job)], reason);
  }

  #giveUp(job: BatchJob, users: readonly string[], reason: string): void {
    this.#options.onGivenUp(users, redactText(reason));
    this.fail(job, new UnrecoverableError(reason));
  }

  complete(handle: BatchJob, result: BatchResult): void {
    this.#end(
      handle,
      async ({ job, token }) => job.moveToCompleted(result, token, false),
      (id) => this.#unreported.set(id, result),
    );
  }

  /** Counts as an attempt; the queue retries later, unless it was the last. @param remaining what is to be retried */
  fail(handle: BatchJob, error: Error, remaining?: UserBatch): void {
    this.#end(handle, async ({ job, token }) => {
      if (remaining) await job.updateData(remaining);
      await job.moveToFailed(error, token, false);
    });
  }

  /** @param remaining what is still to be done */
  split(handle: BatchJob, remaining: UserBatch): void {
    this.#end(handle, async ({ job, token }) => {
      await job.updateData(remaining);
      await job.moveToCompleted(await this.#options.split(job), token, false);
    });
  }

  /** Returns the batch to the queue, as if it had not been claimed. @param remaining what is still to be done */
  giveBack(handle: BatchJob, remaining?: UserBatch): void {
    this.#end(handle, async ({ job, token }) => {
      if (remaining) await job.updateData(remaining);
      await job.moveToWait(token);
    });
  }

  /** Resolves when all reports so far are in Redis. */
  async flush(): Promise<void> {
    await Promise.all(this.#ending);
  }

  /** Renews the claims until the signal is aborted. Never fails. */
  async renewUntil(signal: AbortSignal): Promise<void> {
    const { clock, logger, terms } = this.#options;
    for (;;) {
      try {
        await clock.sleep(terms.lockMs / LOCK_RENEWALS, signal);
        await abortable(this.#renew(), signal);
      } catch (error) {
        if (signal.aborted) return;
        logger.warn(
          { reason: redactText(messageOf(error)) },
          'could not renew the claims of users',
        );
      }
    }
  }

  async #renew(): Promise<void> {
    const claims = [...this.#claims].map(([id, { token }]) => ({ id, token }));
    if (claims.length === 0) return;
    const lost = await this.#options.taker.extendJobLocks(
      claims.map(({ id }) => id),
      claims.map(({ token }) => token),
      this.#options.terms.lockMs,
    );
    if (lost.length === 0) return;
    // another worker may export the same users: the archive's log prevents duplicate rows
    this.#options.logger.warn(
      { batches: lost.length },
      'claims have expired; other workers take these users',
    );
  }

  #end(
    handle: BatchJob,
    report: (claim: Claim) => Promise<unknown>,
    onRefused: (id: string) => void = () => undefined,
  ): void {
    const id = idOf(handle);
    const claim = this.#claims.get(id);
    if (claim?.handle !== handle) return;
    this.#ended++;
    this.#claims.delete(id);
    this.#unreported.delete(id);
    const ending = report(claim)
      .then(() => undefined)
      .catch((error: unknown) => {
        this.#logRefusal(id, error);
        onRefused(id);
      })
      .finally(() => this.#ending.delete(ending));
    this.#ending.add(ending);
  }

  #logRefusal(job: string, error: unknown): void {
    const { logger } = this.#options;
    const fields = { job, reason: redactText(messageOf(error)) };
    if (isClaimLost(error)) logger.debug(fields, 'a claim had expired');
    else logger.warn(fields, 'could not tell the queue what became of users; it offers them again');
  }
}

/** BullMQ's codes for a job that is gone, or that another worker has now: no lock, not active, another's lock. */
const CLAIM_LOST: readonly unknown[] = [-1, -2, -3, -6];

/** The lock has expired, or Redis's answer was lost and this is the second report: the worker that has the job now ends it. */
function isClaimLost(error: unknown): boolean {
  return error instanceof Error && 'code' in error && CLAIM_LOST.includes(error.code);
}

function idOf({ id = '' }: BatchJob): string {
  return id;
}

/** A single user that has killed its worker is exported again; of several, it is not known which one did. */
function mayBeSplit({ stalledCounter, data }: BatchJob): boolean {
  return stalledCounter > 0 && data.users.length > 1;
}

const MAX_ATTEMPTS = 100;

/** Why the queue's record of a batch is invalid; undefined if it is as `enqueue` writes it. */
function refusalOf({ data, opts }: BatchJob): string | undefined {
  const refused = (problem: string) => `the queue's record of a batch is invalid: ${problem}`;
  const batch = decodeBatch(data);
  if ('problem' in batch) return refused(batch.problem);
  const { attempts = 1 } = opts;
  if (Number.isInteger(attempts) && attempts >= 1 && attempts <= MAX_ATTEMPTS) return undefined;
  return refused(`attempts is not a whole number from 1 to ${MAX_ATTEMPTS}`);
}

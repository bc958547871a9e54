/** The users that this worker has taken from the queue: held for as long as it lives, given back or brought to an end. */
import { UnrecoverableError, type Worker } from 'bullmq';
import type { Clock } from '../base/clock.js';
import { messageOf } from '../base/error.js';
import type { Logger } from '../base/logger.js';
import { redactText } from '../base/redact.js';
import { LOCK_MS, type UserJob, type UserJobData } from './queues.js';
import type { UserResult } from './user-result.js';

export interface JobsInHandOptions {
  readonly taker: Worker<UserJobData, UserResult>;
  /** Distinguishes this worker's holds from others'. */
  readonly worker: string;
  readonly clock: Clock;
  readonly logger: Logger;
}

/** Renewals in the term of a hold: two may fail. */
const RENEWALS = 3;

export class JobsInHand {
  readonly #jobs = new Map<UserJob, { readonly token: string }>();
  readonly #ending = new Set<Promise<void>>();
  #taken = 0;

  constructor(private readonly options: JobsInHandOptions) {}

  get size(): number {
    return this.#jobs.size;
  }

  /** As they are now. */
  all(): UserJob[] {
    return [...this.#jobs.keys()];
  }

  /** Without waiting; undefined where nobody waits. */
  async take(): Promise<UserJob | undefined> {
    const { taker, worker } = this.options;
    const token = `${worker}:${++this.#taken}`;
    const job = (await taker.getNextJob(token, { block: false })) as UserJob | undefined;
    if (!job) return undefined;
    this.#jobs.set(job, { token });
    // those who had taken the user on died, too often to go on with it
    if (!job.deferredFailure) return job;
    this.fail(job, new UnrecoverableError(job.deferredFailure));
    return this.take();
  }

  complete(job: UserJob, result: UserResult): void {
    this.#end(job, async (token) => job.moveToCompleted(result, token, false));
  }

  /** Counts as an attempt; another follows after a while, unless it was the last. */
  fail(job: UserJob, error: Error): void {
    this.#end(job, async (token) => job.moveToFailed(error, token, false));
  }

  /** To the queue, for anybody, as if it had not been taken. */
  giveBack(job: UserJob): void {
    this.#end(job, (token) => job.moveToWait(token));
  }

  /** Resolves when what was said of jobs until now is known to Redis. */
  async flush(): Promise<void> {
    await Promise.all(this.#ending);
  }

  /** Renews the holds until the signal is aborted. Never fails. */
  async renewUntil(signal: AbortSignal): Promise<void> {
    const { clock, logger } = this.options;
    for (;;) {
      try {
        await clock.sleep(LOCK_MS / RENEWALS, signal);
      } catch {
        return;
      }
      await this.#renew().catch((error: unknown) => {
        logger.warn({ reason: redactText(messageOf(error)) }, 'users could not be held');
      });
    }
  }

  async #renew(): Promise<void> {
    const held = [...this.#jobs].map(([job, { token }]) => ({ id: job.id ?? '', token }));
    if (held.length === 0) return;
    const lost = await this.options.taker.extendJobLocks(
      held.map(({ id }) => id),
      held.map(({ token }) => token),
      LOCK_MS,
    );
    if (lost.length === 0) return;
    // another worker may do the same again: the archive's log sees to it that no row is doubled
    this.options.logger.warn(
      { users: lost.length },
      'users were taken for abandoned, and go to others',
    );
  }

  #end(job: UserJob, tell: (token: string) => Promise<unknown>): void {
    const held = this.#jobs.get(job);
    if (!held) return;
    this.#jobs.delete(job);
    const ending = tell(held.token)
      .then(() => undefined)
      .catch((error: unknown) => {
        // the hold was lost, or told twice because an answer was: whoever has the job now ends it
        const reason = redactText(messageOf(error));
        this.options.logger.debug({ job: job.id, reason }, 'a job was not ours any more');
      })
      .finally(() => this.#ending.delete(ending));
    this.#ending.add(ending);
  }
}

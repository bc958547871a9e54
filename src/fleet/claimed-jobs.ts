/** The users that this worker has claimed from the queue: each claim is renewed until the user is done or given back. */
import { UnrecoverableError, type Worker } from './bullmq.js';
import { z } from 'zod';
import type { Clock } from '../base/clock.js';
import { messageOf } from '../base/error.js';
import type { Logger } from '../base/logger.js';
import { redactText } from '../base/text/redact.js';
import { UsageError } from '../base/usage-error.js';
import { abortable } from './abortable.js';
import { LOCK_MS, readable, userJobId, type UserJob, type UserJobData } from './queues.js';
import type { UserResult } from './user-result.js';
import { runName } from './run-record.js';
import { firstIssue } from '../base/first-issue.js';

export interface ClaimedJobsOptions {
  readonly taker: Worker<UserJobData, UserResult>;
  /** Names this worker in its claims. */
  readonly worker: string;
  readonly clock: Clock;
  readonly logger: Logger;
}

/** Renewals in the term of a hold: two may fail. */
const RENEWALS = 3;

interface Hold {
  /** What its taker was given, and names it by. */
  readonly handle: UserJob;
  /** As it was taken last. */
  readonly job: UserJob;
  readonly token: string;
}

export class ClaimedJobs {
  /** By the job's id. */
  readonly #holds = new Map<string, Hold>();
  readonly #ending = new Set<Promise<void>>();
  /** Results that the queue refused because the hold had run out: reported when the job comes back. */
  readonly #untold = new Map<string, UserResult>();
  #taken = 0;
  #ended = 0;
  readonly #options: ClaimedJobsOptions;

  constructor(options: ClaimedJobsOptions) {
    this.#options = options;
  }

  get size(): number {
    return this.#holds.size;
  }

  /** How many were done or given back so far. */
  get ended(): number {
    return this.#ended;
  }

  /** As they are now. */
  all(): UserJob[] {
    return [...this.#holds.values()].map(({ handle }) => handle);
  }

  /**
   * Does not wait; undefined where the queue is empty. A job that is claimed already is not given twice: its
   * hold had run out, the queue has offered it again, and so it is held again.
   */
  async take(): Promise<UserJob | undefined> {
    const { worker } = this.#options;
    for (;;) {
      const token = `${worker}:${++this.#taken}`;
      const job = await this.#next(token);
      if (!job) return undefined;
      const id = idOf(job);
      const { handle } = this.#holds.get(id) ?? {};
      this.#holds.set(id, { handle: handle ?? job, job, token });
      if (handle) continue;
      const result = this.#untold.get(id);
      const refusal = refusalOf(job);
      // workers died of this user too often
      if (refusal) this.#refuse(job, refusal);
      else if (job.deferredFailure) this.fail(job, new UnrecoverableError(job.deferredFailure));
      else if (result) this.complete(job, result);
      else return job;
      await this.flush();
    }
  }

  /** Skips a record that cannot be read: its hold runs out, and it is met again. */
  async #next(token: string): Promise<UserJob | undefined> {
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

  #refuse(job: UserJob, reason: string): void {
    this.#options.logger.error({ job: idOf(job), reason }, 'a record of the queue is refused');
    this.fail(job, new UnrecoverableError(reason));
  }

  complete(handle: UserJob, result: UserResult): void {
    this.#end(
      handle,
      async ({ job, token }) => job.moveToCompleted(result, token, false),
      (id) => this.#untold.set(id, result),
    );
  }

  /** Counts as an attempt; the queue tries again later, unless it was the last. */
  fail(handle: UserJob, error: Error): void {
    this.#end(handle, async ({ job, token }) => job.moveToFailed(error, token, false));
  }

  /** To the queue, as if it had not been claimed. */
  giveBack(handle: UserJob): void {
    this.#end(handle, ({ job, token }) => job.moveToWait(token));
  }

  /** Resolves when Redis knows what was reported of jobs so far. */
  async flush(): Promise<void> {
    await Promise.all(this.#ending);
  }

  /** Renews the holds until the signal is aborted. Never fails. */
  async renewUntil(signal: AbortSignal): Promise<void> {
    const { clock, logger } = this.#options;
    for (;;) {
      try {
        await clock.sleep(LOCK_MS / RENEWALS, signal);
        await abortable(this.#renew(), signal);
      } catch (error) {
        if (signal.aborted) return;
        logger.warn({ reason: redactText(messageOf(error)) }, 'users could not be held');
      }
    }
  }

  async #renew(): Promise<void> {
    const held = [...this.#holds].map(([id, { token }]) => ({ id, token }));
    if (held.length === 0) return;
    const lost = await this.#options.taker.extendJobLocks(
      held.map(({ id }) => id),
      held.map(({ token }) => token),
      LOCK_MS,
    );
    if (lost.length === 0) return;
    // another worker may do the same again: the archive's log sees to it that no row is doubled
    this.#options.logger.warn(
      { users: lost.length },
      'claims have expired; other workers take these users',
    );
  }

  #end(
    handle: UserJob,
    tell: (hold: Hold) => Promise<unknown>,
    onRefused: (id: string) => void = () => undefined,
  ): void {
    const id = idOf(handle);
    const hold = this.#holds.get(id);
    if (hold?.handle !== handle) return;
    this.#ended++;
    this.#holds.delete(id);
    this.#untold.delete(id);
    const ending = tell(hold)
      .then(() => undefined)
      .catch((error: unknown) => {
        // the hold was lost, or an answer was and the queue was told twice: the worker that has the job now ends it
        const reason = redactText(messageOf(error));
        this.#options.logger.debug({ job: id, reason }, 'a claim had expired');
        onRefused(id);
      })
      .finally(() => this.#ending.delete(ending));
    this.#ending.add(ending);
  }
}

function idOf({ id = '' }: UserJob): string {
  return id;
}

const userJobSchema = z.strictObject({ run: runName, user: z.string().min(1) });
const MAX_ATTEMPTS = 100;

/** Why the queue's record of a user cannot be used; undefined where it is as `enqueue` writes it. */
function refusalOf({ id, data, opts }: UserJob): string | undefined {
  const refused = (problem: string) => `the queue's record of a user cannot be used: ${problem}`;
  const result = userJobSchema.safeParse(data);
  if (!result.success) return refused(redactText(firstIssue(result.error)));
  const { run, user } = result.data;
  if (id !== userJobId(run, user)) return refused('its id is that of another user');
  const { attempts = 1 } = opts;
  if (Number.isInteger(attempts) && attempts >= 1 && attempts <= MAX_ATTEMPTS) return undefined;
  return refused(`attempts is not a whole number from 1 to ${MAX_ATTEMPTS}`);
}

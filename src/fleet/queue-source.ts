/** Source of users for an export: claims users of one queued run until none are left. */
import type { Clock } from '../base/runtime.js';
import { failureBehindGap } from '../export/jobs/gap.js';
import type { UserOutcome } from '../export/users/user-export.js';
import type { UserSource } from '../export/users/pending-users.js';
import { asUserId, type UserId } from '../model/ids.js';
import { abortable } from '../base/concurrently.js';
import type { ClaimedJobs } from './claimed-jobs.js';
import { isLastAttempt, type UserJob } from './queues.js';
import { emptyResult, isWorthRetrying, resultOf, type UserResult } from './user-result.js';

export interface QueueSourceOptions {
  readonly claimed: ClaimedJobs;
  /** The first user; determines the run. */
  readonly first: UserJob;
  readonly clock: Clock;
  /** Called with the outcome of each user. */
  readonly onSettled: (outcome: 'complete' | 'gaps' | 'again', result?: UserResult) => void;
}

/**
 * Done users are committed before this many are claimed. Otherwise users with little to archive would
 * accumulate until the checkpoint is due, and each claim has to be renewed.
 */
const MAX_CLAIMED = 250;
/** Between two polls of an empty queue, while some users are still being exported. */
const POLL_INTERVAL_MS = 500;
/** After this the export ends and a new one begins: rows and paths carry the time at which an export began. */
const LONGEST_RUN_MS = 3_600_000;

function isSilence(error: unknown): boolean {
  return failureBehindGap(error) === 'unreachable';
}

export class QueueSource implements UserSource {
  readonly maxClaimed = MAX_CLAIMED;
  readonly #jobs = new Map<UserId, UserJob>();
  /** Outcomes of users for whom the service did not answer; not reported until it has answered somebody. */
  readonly #unanswered = new Map<UserId, UserOutcome>();
  readonly #run: string;
  readonly #beganMs: number;
  #isOver = false;
  /** Users of other runs that the queue offered meanwhile: claimed for the next export. */
  readonly others: UserJob[] = [];
  readonly #options: QueueSourceOptions;

  constructor(options: QueueSourceOptions) {
    this.#options = options;
    const { first, clock } = options;
    this.#run = first.data.run;
    this.#beganMs = clock.monotonic();
    this.#jobs.set(asUserId(first.data.user), first);
  }

  /** Why the service did not answer for users who are done; undefined if it has answered since. */
  get silence(): unknown {
    const [outcome] = this.#unanswered.values();
    return outcome?.errors.find(isSilence);
  }

  /** Users of this run that are claimed and not settled. */
  get unsettled(): UserJob[] {
    return [...this.#jobs.values()];
  }

  async next(signal: AbortSignal, isIdle: () => boolean): Promise<UserId | undefined> {
    const { clock } = this.#options;
    for (;;) {
      signal.throwIfAborted();
      if (this.#isOver || clock.monotonic() - this.#beganMs > LONGEST_RUN_MS) return undefined;
      const job = await this.#take(signal);
      if (job) {
        if (job.data.run === this.#run) {
          const user = asUserId(job.data.user);
          this.#jobs.set(user, job);
          return user;
        }
        this.others.push(job);
        this.#isOver = true;
      } else if (isIdle()) {
        this.#isOver = true;
      } else {
        await clock.sleep(POLL_INTERVAL_MS, signal);
      }
    }
  }

  isExpected(user: UserId): boolean {
    return this.#jobs.get(user)?.data.expected === true;
  }

  settled(user: UserId, outcome: UserOutcome | undefined): void {
    if (outcome?.errors.some(isSilence) === true) {
      this.#unanswered.set(user, outcome);
      return;
    }
    this.answered();
    this.#report(user, outcome);
  }

  /** The service answers: then its silence about some users is theirs. */
  answered(): void {
    for (const [user, outcome] of this.#unanswered) this.#report(user, outcome);
    this.#unanswered.clear();
  }

  #report(user: UserId, outcome: UserOutcome | undefined): void {
    const { claimed, onSettled } = this.#options;
    const job = this.#jobs.get(user);
    this.#jobs.delete(user);
    if (!job) return;
    if (!outcome) {
      onSettled('complete');
      claimed.complete(job, emptyResult(user));
      return;
    }
    const { entry, gaps } = outcome;
    if (isWorthRetrying(outcome) && !isLastAttempt(job)) {
      onSettled('again');
      claimed.fail(job, new Error(entry.error ?? gaps[0]?.reason ?? 'something is missing'));
      return;
    }
    const result = resultOf(outcome);
    onSettled(entry.complete ? 'complete' : 'gaps', result);
    claimed.complete(job, result);
  }

  /** A job that arrives after the abort is given back. */
  async #take(signal: AbortSignal): Promise<UserJob | undefined> {
    const taking = this.#options.claimed.take();
    try {
      return await abortable(taking, signal);
    } catch (error) {
      const { claimed } = this.#options;
      taking
        .then((job) => {
          if (job) claimed.giveBack(job);
        })
        .catch(() => undefined);
      throw error;
    }
  }
}

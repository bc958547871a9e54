/** The users of one queued run, for an export that goes on for as long as there are any. */
import type { Clock } from '../base/clock.js';
import type { UserOutcome } from '../export/users/user-export.js';
import type { UserSource } from '../export/users/user-source.js';
import { asUserId, type UserId } from '../model/ids.js';
import { abortable } from './abortable.js';
import type { ClaimedJobs } from './claimed-jobs.js';
import { isLastAttempt, type UserJob } from './queues.js';
import { emptyResult, isWorthRetrying, resultOf } from './user-result.js';

export interface QueueSourceOptions {
  readonly hand: ClaimedJobs;
  /** Whose run the export is about. */
  readonly first: UserJob;
  readonly clock: Clock;
  /** What came of each user, as the queue is told. */
  readonly onSettled: (outcome: 'complete' | 'gaps' | 'again') => void;
}

/**
 * What is done is committed before so many are held: users with little to archive would otherwise pile
 * up until the checkpoint is due, and each costs a renewal of its hold.
 */
const MOST_IN_HAND = 250;
/** Between two polls of an empty queue, while some users are still being exported. */
const LOOK_AGAIN_MS = 500;
/** Then the export ends and the next begins: its rows carry the time and lie under the day of its beginning. */
const LONGEST_RUN_MS = 3_600_000;

export class QueueSource implements UserSource {
  readonly mostClaimed = MOST_IN_HAND;
  readonly #jobs = new Map<UserId, UserJob>();
  readonly #run: string;
  readonly #beganMs: number;
  #isOver = false;
  /** Users of other runs, who came while this one's were asked for: held for the next export. */
  readonly others: UserJob[] = [];
  readonly #options: QueueSourceOptions;

  constructor(options: QueueSourceOptions) {
    this.#options = options;

    const { first, clock } = options;
    this.#run = first.data.run;
    this.#beganMs = clock.monotonic();
    this.#jobs.set(asUserId(first.data.user), first);
  }

  /** Of this run, taken and not settled. */
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
        if (job.data.run === this.#run) return this.#given(job);
        this.others.push(job);
        this.#isOver = true;
      } else if (isIdle()) {
        this.#isOver = true;
      } else {
        await clock.sleep(LOOK_AGAIN_MS, signal);
      }
    }
  }

  settled(user: UserId, outcome: UserOutcome | undefined): void {
    const { hand, onSettled } = this.#options;
    const job = this.#jobs.get(user);
    this.#jobs.delete(user);
    if (!job) return;
    if (!outcome) {
      onSettled('complete');
      hand.complete(job, emptyResult(user));
      return;
    }
    const { entry, gaps } = outcome;
    if (isWorthRetrying(outcome) && !isLastAttempt(job)) {
      onSettled('again');
      hand.fail(job, new Error(entry.error ?? gaps[0]?.reason ?? 'something is missing'));
      return;
    }
    onSettled(entry.complete ? 'complete' : 'gaps');
    hand.complete(job, resultOf(outcome));
  }

  /** A job that comes after its asker has given up goes back: held by a source that is over, nobody would work on it. */
  async #take(signal: AbortSignal): Promise<UserJob | undefined> {
    const taking = this.#options.hand.take();
    try {
      return await abortable(taking, signal);
    } catch (error) {
      const { hand } = this.#options;
      taking
        .then((job) => {
          if (job) hand.giveBack(job);
        })
        .catch(() => undefined);
      throw error;
    }
  }

  #given(job: UserJob): UserId {
    const user = asUserId(job.data.user);
    this.#jobs.set(user, job);
    return user;
  }
}

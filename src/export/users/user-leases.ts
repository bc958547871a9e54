/** One run at a time on a user, by courtesy: spares the second one the requests; the log decides all the same. */
import type { ArchiveRun } from '../../archive/runs/archive-run.js';
import type { Lease } from '../../archive/runs/lease.js';
import { LeaseHeldError } from '../../archive/runs/lease-held-error.js';
import type { Tracer } from '../../base/tracer.js';
import type { UserId } from '../../model/ids.js';

export interface UserLeasesOptions {
  readonly run: ArchiveRun;
  /** Give way to a run that is known to live instead of waiting for it. */
  readonly noWait: boolean;
  readonly tracer: Tracer;
}

/** Held beyond the work on their users, until the commit; each costs a small write in ten seconds. */
const MAX_KEPT = 100;

export class UserLeases {
  readonly #held = new Map<UserId, Lease>();
  /** Whose work is done but not committed, the oldest first. */
  readonly #kept = new Set<UserId>();

  constructor(readonly options: UserLeasesOptions) {}

  /** False where another run is, or may be, at work on the user. */
  async tryTake(user: UserId, signal: AbortSignal): Promise<boolean> {
    try {
      await this.#take(user, 'none', signal);
      return true;
    } catch (error) {
      if (error instanceof LeaseHeldError) return false;
      throw error;
    }
  }

  /**
   * Waits for the other run; where that is not wanted, just until it is known to live.
   *
   * @throws {LeaseHeldError} it lives, and is not to be waited for
   * @throws the signal's reason
   */
  async take(user: UserId, signal: AbortSignal): Promise<void> {
    const { noWait, tracer } = this.options;
    const wait = noWait ? 'term' : 'endless';
    await tracer.span('lease', {}, () => this.#take(user, wait, signal));
  }

  /** Keeps the lease until the commit, so that nobody does the same again meanwhile; a bounded number of them. */
  async keep(user: UserId): Promise<void> {
    this.#kept.add(user);
    const [oldest] = this.#kept;
    if (this.#kept.size > MAX_KEPT && oldest !== undefined) await this.release(oldest);
  }

  async release(user: UserId): Promise<void> {
    const lease = this.#held.get(user);
    this.#held.delete(user);
    this.#kept.delete(user);
    await lease?.release();
  }

  async releaseAll(): Promise<void> {
    await Promise.all([...this.#held.keys()].map((user) => this.release(user)));
  }

  async #take(user: UserId, wait: 'none' | 'term' | 'endless', signal: AbortSignal): Promise<void> {
    this.#kept.delete(user);
    if (this.#held.get(user)?.isLost === false) return;
    await this.release(user);
    this.#held.set(user, await this.options.run.leaseUser(user, { wait, signal }));
  }
}

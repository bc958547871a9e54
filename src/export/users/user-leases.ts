/** Leases of users: one run at a time works on a user. This only saves requests; correctness is up to the log. */
import { LeaseHeldError } from '../../archive/archive-errors.js';
import type { Lease } from '../../archive/runs/lease.js';
import type { UserId } from '../../model/ids.js';
import type { ArchiveRun } from '../../archive/runs/archive-run.js';

export interface UserLeasesOptions {
  readonly run: ArchiveRun;
  /** Fail instead of waiting for a run that is known to be alive. */
  readonly noWait: boolean;
}

/** The most leases kept after the work, until the commit; each costs a small write every ten seconds. */
const MAX_KEPT = 100;

export class UserLeases {
  readonly #held = new Map<UserId, Lease>();
  /** Leases of users whose work is done but not committed, the oldest first. */
  readonly #kept = new Set<UserId>();

  constructor(readonly options: UserLeasesOptions) {}

  /** False if another run works, or may work, on the user. */
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
   * Waits for the other run; with `noWait`, only until it is known to be alive.
   *
   * @throws {LeaseHeldError} the other run is alive, with `noWait`
   * @throws the signal's reason
   */
  async take(user: UserId, signal: AbortSignal): Promise<void> {
    const { noWait } = this.options;
    const wait = noWait ? 'term' : 'endless';
    await this.#take(user, wait, signal);
  }

  /** Keeps the lease until the commit, so that no other run repeats the work; the number is bounded. */
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

  /** Releases the leases of users whose work is done. */
  async releaseKept(): Promise<void> {
    await Promise.all([...this.#kept].map((user) => this.release(user)));
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

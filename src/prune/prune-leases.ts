/** Shows that a prune lives, and keeps others off the user it works on: a courtesy, the log decides all the same. */
import { acquireLease, type Lease, type LeaseOptions } from '../archive/runs/lease.js';
import { runLeasePath, userLeasePath } from '../archive/paths.js';
import type { UserId } from '../model/ids.js';

export interface PruneLeasesOptions extends Omit<LeaseOptions, 'path'> {
  /** Give way to a run that is known to live instead of waiting for it. */
  readonly noWait: boolean;
  readonly signal: AbortSignal;
}

export class PruneLeases {
  #own: Lease | undefined;

  constructor(readonly options: PruneLeasesOptions) {}

  /** Without it, what the run publishes right before a commit looks as if a dead run had left it. */
  async begin(): Promise<void> {
    const { run } = this.options;
    this.#own = await acquireLease({
      ...this.options,
      path: runLeasePath(run),
      subject: `run ${run}`,
      patience: 'none',
    });
  }

  /** Never fails. */
  async end(): Promise<void> {
    await this.#own?.release();
  }

  /**
   * Works while no other run does, as far as that can be had.
   *
   * @throws {LeaseHeldError} another run is at work, and is not to be waited for
   */
  async alone<T>(user: UserId, work: () => Promise<T>): Promise<T> {
    const { noWait, logger } = this.options;
    const lease = await acquireLease({
      ...this.options,
      path: userLeasePath(user),
      subject: `user ${user}`,
      patience: noWait ? 'term' : 'endless',
      onWait: (holder) => {
        const { run, host, pid } = holder ?? {};
        const told = 'another run is at work on this user; waiting for it';
        logger.info({ user, run, host, pid }, told);
      },
    });
    try {
      return await work();
    } finally {
      await lease.release();
    }
  }
}

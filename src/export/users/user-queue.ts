/** Processes users, many at a time: first those that no other run works on, then the others. Keeps those whose work is not committed yet. */
import { LeaseHeldError } from '../../archive/archive-errors.js';
import type { Lease } from '../../archive/runs/lease.js';
import { concurrently } from '../../base/concurrently.js';
import type { UserId } from '../../model/ids.js';
import type { ArchiveRun } from '../../archive/runs/archive-run.js';
import type { Gap } from '../jobs/gap.js';
import type { StateStore } from '../../archive/state/state-store.js';
import type { UserState } from '../../archive/state/user-state.js';
import type { UserOutcome } from './user-export.js';

export interface UserQueueOptions {
  readonly leases: UserLeases;
  /** Users at a time. */
  readonly width: number;
  readonly signal: AbortSignal;
  /** Aborted when waiting for another run is useless. */
  readonly timeUp: AbortSignal;
  /** Called with the user's lease held, unless the wait for it failed. */
  readonly work: (user: UserId) => Promise<void>;
  /** Commits finished work if anything has changed, and releases leases that other runs may wait for. */
  readonly yieldLeases: () => Promise<void>;
  /** Called with a fatal failure at once, before the other users end. */
  readonly onFailure: (error: unknown) => void;
}

/**
 * A run never waits while it holds leases of finished users: they are released before the first wait, and after each
 * user from then on. So two runs cannot block each other.
 *
 * @throws {LeaseHeldError} after all other users are done: another run works on a user, with `noWait`
 */
export async function processUsers(
  users: AsyncIterable<UserId>,
  options: UserQueueOptions,
): Promise<void> {
  const { leases, signal, timeUp, work, yieldLeases } = options;
  const taken: UserId[] = [];
  await forEach(users, options, async (user) => {
    if (await leases.tryTake(user, signal)) await work(user);
    else taken.push(user);
  });
  if (taken.length === 0) return;
  await yieldLeases();
  let heldByOther: LeaseHeldError | undefined;
  await forEach(taken, options, async (user) => {
    try {
      await leases.take(user, AbortSignal.any([signal, timeUp]));
    } catch (error) {
      if (error instanceof LeaseHeldError) {
        heldByOther ??= error;
        return;
      }
      if (signal.aborted || !timeUp.aborted) throw error;
    }
    await work(user);
    await yieldLeases();
  });
  if (heldByOther) throw heldByOther;
}

/** Reports the first failure at once: other users may take long. */
async function forEach(
  users: AsyncIterable<UserId> | Iterable<UserId>,
  { width, signal, onFailure }: UserQueueOptions,
  work: (user: UserId) => Promise<void>,
): Promise<void> {
  async function* untilFailure(): AsyncGenerator<UserId> {
    try {
      for await (const user of users) {
        signal.throwIfAborted();
        yield user;
      }
    } catch (error) {
      onFailure(error);
      throw error;
    }
  }
  await concurrently(untilFailure(), width, async (user) => {
    try {
      await work(user);
    } catch (error) {
      onFailure(error);
      throw error;
    }
  });
  signal.throwIfAborted(); // also if the last user did not notice the abort
}

/** Leases of users: one run at a time works on a user. This only saves requests; correctness is up to the log. */

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

  /** Those of users whose work is done. */
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

/** The users of a run whose work is not committed yet, with their states. */

export class PendingUsers {
  readonly #users: Set<UserId>;
  readonly #outcomes = new Map<UserId, UserOutcome>();
  readonly #states = new Map<UserId, UserState>();
  /** The newest commit that is part of the user's state. */
  readonly #plannedFrom = new Map<UserId, number>();
  readonly #store: StateStore;

  constructor(users: Iterable<UserId>, store: StateStore) {
    this.#store = store;

    this.#users = new Set(users);
  }

  get size(): number {
    return this.#users.size;
  }

  /** A copy of the list; users added later are not in it. */
  all(): UserId[] {
    return [...this.#users];
  }

  take(user: UserId): void {
    this.#users.add(user);
  }

  /** Whether the work on the user is done but not committed. */
  isDone(user: UserId): boolean {
    return this.#outcomes.has(user);
  }

  planned(state: UserState): void {
    this.#states.set(state.user, state);
    this.#plannedFrom.set(state.user, state.through);
  }

  done(outcome: UserOutcome): void {
    this.#outcomes.set(outcome.entry.user, outcome);
  }

  /** @returns the user's outcome, if the work was done */
  settle(user: UserId): UserOutcome | undefined {
    const outcome = this.#outcomes.get(user);
    if (!outcome) return undefined;
    this.#outcomes.delete(user);
    this.#users.delete(user);
    return outcome;
  }

  /** The user needed no check. */
  skip(user: UserId): void {
    this.#users.delete(user);
  }

  /** Plans all users again, because another run has committed. */
  forgetPlans(): void {
    this.#plannedFrom.clear();
  }

  /** The newest commit that was read before any of the states. @param newest the result without any state */
  plannedFrom(newest: number): number {
    return [...this.#plannedFrom.values()].reduce((a, b) => Math.min(a, b), newest);
  }

  /** Brings the states of the users whom a commit of this run changes up to the newest one. */
  async updateStates(commit: number, users: Iterable<UserId>): Promise<void> {
    for (const user of users) {
      const state = this.#states.get(user);
      this.#states.set(user, await (state ? this.#store.update(state) : this.#store.load(user)));
    }
    this.#store.forgetCommit(commit);
  }

  /** The state from which the user was planned, or that after the user's newest commit. */
  stateOf(user: UserId): UserState | undefined {
    return this.#states.get(user);
  }

  /** Frees the memory; which commit the user was planned from stays known. */
  dropState(user: UserId): void {
    this.#states.delete(user);
  }

  forgetState(user: UserId): void {
    this.dropState(user);
    this.#plannedFrom.delete(user);
  }
}

/** A source of users during a run: a queue that several machines share. */

export interface UserSource {
  /** The most users that may be claimed before finished ones are committed; more than are processed at a time. */
  readonly maxClaimed: number;
  /**
   * The next user, or undefined when the run should end. Each user is given once; a run that plans again after a
   * conflict remembers those that it has claimed.
   *
   * @param isIdle whether no user is being processed: then the run may as well end, and commit
   */
  next(signal: AbortSignal, isIdle: () => boolean): Promise<UserId | undefined>;
  /** Whether the service must have listed a session of the user: else that is a gap. */
  isExpected(user: UserId): boolean;
  /**
   * A user is done and committed. Quick, and never throws.
   *
   * @param outcome undefined for a user that needed no check
   */
  settled(user: UserId, outcome: UserOutcome | undefined): void;
  /** Of a user who was settled before, something is in doubt: found at the end, and committed. Quick, and never throws. */
  doubted(user: UserId, gaps: readonly Gap[]): void;
}

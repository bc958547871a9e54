/** The users of a run whose work is not committed yet, with their states. */
import type { UserId } from '../../model/ids.js';
import type { StateStore } from '../../archive/state/state-store.js';
import type { UserState } from '../../archive/state/user-state.js';
import type { UserOutcome } from './user-export.js';

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

/** The users of a run whose work is not committed yet, and from which commit each was planned. */
import type { UserId } from '../../model/ids.js';
import type { UserState } from '../../archive/state/user-state.js';
import type { UserOutcome } from './user-outcome.js';

export class PendingUsers {
  readonly #users: Set<UserId>;
  readonly #outcomes = new Map<UserId, UserOutcome>();
  /** The newest commit that is part of the user's state. */
  readonly #plannedFrom = new Map<UserId, number>();

  constructor(users: Iterable<UserId>) {
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

  planned({ user, through }: Pick<UserState, 'user' | 'through'>): void {
    this.#plannedFrom.set(user, through);
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

  /** The user's work is committed, or none is left. */
  forgetPlan(user: UserId): void {
    this.#plannedFrom.delete(user);
  }
}

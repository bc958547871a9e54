/** How many requests or how much time a run has, and what it promises in spite of that. */
import type { Clock } from '../../base/clock.js';

/** At least one of the two limits is given. */
export interface RunBudget {
  /** Requests to the service, retries included. */
  readonly maxRequests?: number | undefined;
  readonly maxDurationMs?: number | undefined;
  /** No session goes unchecked for longer. */
  readonly maxStalenessMs: number;
  /** Requests a second that the run may make: what the time is worth. */
  readonly rate: number;
}

export const DEFAULT_MAX_STALENESS_MS = 7 * 86_400_000;

/** Requests after which the pace so far tells more than the pace that is allowed. */
const TELLING_REQUESTS = 200;

/** Counts what is spent, and tells what is left. */
export class Spending {
  readonly #startedAt: number;
  #taken: number;

  /** @param requests counts all requests of the run's client so far */
  constructor(
    readonly budget: RunBudget,
    readonly clock: Clock,
    readonly requests: () => number,
  ) {
    this.#startedAt = clock.monotonic();
    this.#taken = requests(); // to find out whether there is a service
  }

  /** Requests, and what was taken in and has not made its first one yet. */
  get spent(): number {
    return Math.max(this.#taken, this.requests());
  }

  /** A user or a session is taken in: a request at least. */
  take(): void {
    this.#taken++;
  }

  /** Requests that are left, by whichever limit is nearer. */
  remaining(): number {
    const { maxRequests = Infinity } = this.budget;
    const byTime = (this.remainingMs() / 1000) * this.#pace();
    return Math.max(0, Math.min(maxRequests - this.spent, byTime));
  }

  /** Infinity where time is no limit. */
  remainingMs(): number {
    const { maxDurationMs = Infinity } = this.budget;
    return maxDurationMs - (this.clock.monotonic() - this.#startedAt);
  }

  /** Downloads and a slow service make fewer requests a second than are allowed. */
  #pace(): number {
    const { rate } = this.budget;
    const elapsedMs = this.clock.monotonic() - this.#startedAt;
    if (this.spent < TELLING_REQUESTS || elapsedMs <= 0) return rate;
    return Math.min(rate, (this.spent * 1000) / elapsedMs);
  }
}

/** How much a run may ask of the service, and what it promises all the same. */
import type { Clock } from '../../base/clock.js';

/** At least one of the two limits is given. */
export interface LookBudget {
  /** Requests to the service, retries included. */
  readonly maxRequests?: number | undefined;
  readonly maxDurationMs?: number | undefined;
  /** No session goes without a look for longer. */
  readonly maxStalenessMs: number;
  /** Requests a second that the run may make: what the time is worth. */
  readonly rate: number;
}

export const DEFAULT_MAX_STALENESS_MS = 7 * 86_400_000;

/** Requests after which the pace so far tells more than the pace that is allowed. */
const TELLING_REQUESTS = 200;

/** Counts what is spent; decides whether more may be taken in. What is in hand is finished. */
export class Spending {
  readonly #startedAt: number;
  readonly #requestsBefore: number;

  /** @param requests counts all requests of the run's client so far */
  constructor(
    readonly budget: LookBudget,
    readonly clock: Clock,
    readonly requests: () => number,
  ) {
    this.#startedAt = clock.monotonic();
    this.#requestsBefore = requests();
  }

  get spent(): number {
    return this.requests() - this.#requestsBefore;
  }

  get isExhausted(): boolean {
    return this.remaining() <= 0;
  }

  /** Requests that are left, by whichever limit is nearer. */
  remaining(): number {
    const { maxRequests, maxDurationMs } = this.budget;
    const byCount = maxRequests === undefined ? Infinity : maxRequests - this.spent;
    if (maxDurationMs === undefined) return Math.max(0, byCount);
    const elapsedMs = this.clock.monotonic() - this.#startedAt;
    const byTime = ((maxDurationMs - elapsedMs) / 1000) * this.#pace(elapsedMs);
    return Math.max(0, Math.min(byCount, byTime));
  }

  /** Downloads and a slow service make fewer requests a second than are allowed. */
  #pace(elapsedMs: number): number {
    const { rate } = this.budget;
    if (this.spent < TELLING_REQUESTS || elapsedMs <= 0) return rate;
    return Math.min(rate, (this.spent * 1000) / elapsedMs);
  }
}

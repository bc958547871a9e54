/** Limits all requests of a run by number and time, retries included. */
import type { Clock } from '../../base/runtime.js';
import { JobvaultError } from '../../base/error.js';
import type { Pace, ReleaseHold } from './pace.js';

export interface RequestBudgetOptions {
  readonly clock: Clock;
  /** Default: no limit. */
  readonly maxRequests?: number | undefined;
  /** Time from now. Default: no limit. */
  readonly maxDurationMs?: number | undefined;
  /** Requests per second that the run may make: converts time to requests. Default: no limit. */
  readonly rate?: number | undefined;
}

/** The budget is spent; a later run can send the request. */
export class BudgetSpentError extends JobvaultError {
  override readonly name = 'BudgetSpentError';
  readonly code = 'SERVICE_BUDGET_SPENT';
  readonly disposition = 'skip';
  readonly failure = 'unreachable';
}

/** One request that is counted already, and can be sent when everything else is spent. */
export interface ReservedRequest {
  /** The next request is this one. */
  use(): void;
  /** It is not needed. No effect once it is used. */
  cancel(): void;
}

/** Requests after which the actual pace is used instead of the allowed one. */
const TELLING_REQUESTS = 200;

export class RequestBudget implements Pace {
  readonly #startedAt: number;
  /** Requests sent, or to be sent by whoever holds or has reserved them. */
  #counted = 0;
  /** Reserved requests whose turn it is. */
  #due = 0;
  /** What was counted before the first piece of work, and one for each piece begun. */
  #begun: number | undefined;

  constructor(
    readonly pace: Pace,
    readonly options: RequestBudgetOptions,
  ) {
    this.#startedAt = options.clock.monotonic();
  }

  /** @throws {BudgetSpentError} */
  async acquire(signal?: AbortSignal): Promise<void> {
    if (this.#due > 0) {
      this.#due--;
      return this.pace.acquire(signal);
    }
    await this.#spend(1, () => this.pace.acquire(signal));
    this.assertAllows(0);
  }

  /** @throws {BudgetSpentError} */
  async hold(count: number, signal?: AbortSignal): Promise<ReleaseHold> {
    const releaseHold = await this.#spend(count, () => this.pace.hold(count, signal));
    const release = (unsent: number): void => {
      this.#counted -= unsent;
      releaseHold(unsent);
    };
    try {
      this.assertAllows(0);
    } catch (error) {
      release(count);
      throw error;
    }
    return release;
  }

  /**
   * Sets one request aside, for a question that must not go unasked: it may be sent when all others are spent, and
   * when the time is over.
   *
   * @throws {BudgetSpentError}
   */
  reserve(): ReservedRequest {
    this.assertAllows(1);
    this.#counted++;
    let isOpen = true;
    const close = (then: () => void): void => {
      if (isOpen) then();
      isOpen = false;
    };
    return {
      use: () => close(() => this.#due++),
      cancel: () => close(() => this.#counted--),
    };
  }

  /**
   * @param count requests that are to be sent
   * @param inMs when
   * @throws {BudgetSpentError} it does not allow for them
   */
  assertAllows(count: number, inMs = 0): void {
    const { clock, maxRequests = Infinity, maxDurationMs = Infinity } = this.options;
    if (clock.monotonic() + inMs - this.#startedAt >= maxDurationMs) {
      throw new BudgetSpentError('the time of the run is over');
    }
    if (this.#counted + count <= maxRequests) return;
    throw new BudgetSpentError(`the budget of ${maxRequests} requests is spent`);
  }

  /** A user or a session begins, which takes at least one request. */
  begin(): void {
    this.#begun = (this.#begun ?? this.#counted) + 1;
  }

  /** Requests counted, plus one for each user or session begun that has not sent its first yet. */
  get spent(): number {
    return Math.max(this.#begun ?? 0, this.#counted);
  }

  /** Requests that are left, by the nearer of the two limits. */
  remaining(): number {
    const { maxRequests = Infinity } = this.options;
    const timeLeftMs = this.remainingMs();
    const byTime = timeLeftMs === Infinity ? Infinity : (timeLeftMs / 1000) * this.#actualRate();
    return Math.max(0, Math.min(maxRequests - this.spent, byTime));
  }

  /** Infinity without a time limit. */
  remainingMs(): number {
    const { clock, maxDurationMs = Infinity } = this.options;
    return maxDurationMs - (clock.monotonic() - this.#startedAt);
  }

  /** Downloads and a slow service can make it lower than the allowed one. */
  #actualRate(): number {
    const { clock, rate = Infinity } = this.options;
    const elapsedMs = clock.monotonic() - this.#startedAt;
    if (this.spent < TELLING_REQUESTS || elapsedMs <= 0) return rate;
    return Math.min(rate, (this.spent * 1000) / elapsedMs);
  }

  answered(sentAtMs: number, atMs: number): void {
    this.pace.answered(sentAtMs, atMs);
  }

  slowDown(ms: number, sentAtMs: number): void {
    this.pace.slowDown(ms, sentAtMs);
  }

  async #spend<T>(count: number, wait: () => Promise<T>): Promise<T> {
    this.assertAllows(count);
    this.#counted += count; // before the wait, so that requests that come meanwhile are refused
    try {
      return await wait();
    } catch (error) {
      this.#counted -= count;
      throw error;
    }
  }
}

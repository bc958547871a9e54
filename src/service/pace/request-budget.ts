/** Limits all requests of a run by number and time, retries included. */
import type { Clock } from '../../base/clock.js';
import { JobvaultError } from '../../base/error.js';
import type { Pace } from './pace.js';

export interface RequestBudgetOptions {
  readonly clock: Clock;
  /** Default: no limit. */
  readonly maxRequests?: number | undefined;
  /** Time from now. Default: no limit. */
  readonly maxDurationMs?: number | undefined;
}

/** The budget is spent; a later run can send the request. */
export class BudgetSpentError extends JobvaultError {
  override readonly name = 'BudgetSpentError';
  readonly code = 'SERVICE_BUDGET_SPENT';
  readonly disposition = 'skip';
  readonly failure = 'unreachable';
}

export class RequestBudget implements Pace {
  readonly #startedAt: number;
  #sent = 0;

  constructor(
    readonly pace: Pace,
    readonly options: RequestBudgetOptions,
  ) {
    this.#startedAt = options.clock.monotonic();
  }

  /** @throws {BudgetSpentError} */
  async acquire(signal?: AbortSignal): Promise<void> {
    await this.#spend(1, () => this.pace.acquire(signal));
    this.#assertTime();
  }

  /** @throws {BudgetSpentError} */
  async hold(count: number, signal?: AbortSignal): Promise<() => void> {
    return this.#spend(count, () => this.pace.hold(count, signal));
  }

  answered(sentAtMs: number, atMs: number): void {
    this.pace.answered(sentAtMs, atMs);
  }

  slowDown(ms: number, sentAtMs: number): void {
    this.pace.slowDown(ms, sentAtMs);
  }

  async #spend<T>(count: number, wait: () => Promise<T>): Promise<T> {
    const { maxRequests = Infinity } = this.options;
    this.#assertTime();
    if (this.#sent + count > maxRequests) {
      throw new BudgetSpentError(`the budget of ${maxRequests} requests is spent`);
    }
    this.#sent += count; // before the wait, so that requests that come meanwhile are refused
    try {
      return await wait();
    } catch (error) {
      this.#sent -= count;
      throw error;
    }
  }

  #assertTime(): void {
    const { clock, maxDurationMs = Infinity } = this.options;
    if (clock.monotonic() - this.#startedAt >= maxDurationMs) {
      throw new BudgetSpentError('the time of the run is over');
    }
  }
}

/** A bound on all that is sent: when so many requests are out, or the time is over, none follows, no retry either. */
import type { Clock } from '../../base/clock.js';
import { JobvaultError } from '../../base/error.js';
import type { Pace } from './pace.js';

export interface RequestBudgetOptions {
  readonly clock: Clock;
  /** Default: no limit. */
  readonly maxRequests?: number | undefined;
  /** From now on. Default: no limit. */
  readonly maxDurationMs?: number | undefined;
}

/** What was asked for may be had with another budget; nothing is wrong with it. */
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
    this.#sent += count; // before the wait: who comes meanwhile must know
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

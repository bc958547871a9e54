/** Ends a run if the whole service does not answer. */
import { ServiceError } from '../service/service-errors.js';
import { failureBehindGap, isSkippable } from './jobs/gap.js';

/** Consecutive users or sessions without an answer after which the run ends. */
export const MAX_IN_A_ROW = 10;

export class CircuitBreaker {
  #hasAnswered = false;
  #inARow = 0;
  #last: { readonly error: unknown } | undefined;

  /** The service has answered properly: resets the count. */
  succeeded(): void {
    this.#hasAnswered = true;
    this.#inARow = 0;
  }

  /** Whether the failure of a user or session ends the run; called once for each. */
  isFatal(error: unknown): boolean {
    if (!isSkippable(error)) return true;
    if (failureBehindGap(error) !== 'unreachable') return false;
    this.#inARow++;
    this.#last = { error };
    // a failure that rarely goes away, before any proper answer: the address is wrong
    if (!this.#hasAnswered && error instanceof ServiceError && error.retries === 'brief')
      return true;
    return this.#inARow >= MAX_IN_A_ROW;
  }

  /**
   * @param forget discards what the run would record: that no request succeeded
   * @throws the newest failure of a service that has never answered
   */
  async assertAnswered(forget: () => Promise<void>): Promise<void> {
    if (this.#hasAnswered || !this.#last) return;
    await forget();
    throw this.#last.error;
  }
}

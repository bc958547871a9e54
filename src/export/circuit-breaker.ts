/** Ends a run when the service as a whole does not answer. */
import { ServiceError } from '../service/errors/service-error.js';
import { failureBehindGap, isSkippable } from './jobs/gap.js';

/** Unanswered users or sessions in a row after which the run gives up. */
const MAX_IN_A_ROW = 10;

export class CircuitBreaker {
  #hasAnswered = false;
  #inARow = 0;
  #last: { readonly error: unknown } | undefined;

  /** The service has answered as it should. */
  succeeded(): void {
    this.#hasAnswered = true;
    this.#inARow = 0;
  }

  /** Whether a user's or a session's failure ends the run; asked once for each. */
  isFatal(error: unknown): boolean {
    if (!isSkippable(error)) return true;
    if (failureBehindGap(error) !== 'unreachable') return false;
    this.#inARow++;
    this.#last = { error };
    // what seldom passes by itself, before anything was right: the address is wrong
    if (!this.#hasAnswered && error instanceof ServiceError && error.retries === 'brief')
      return true;
    return this.#inARow >= MAX_IN_A_ROW;
  }

  /**
   * @param forget drops what the run would tell the log: that nothing could be asked
   * @throws the newest failure of a service that was asked and has never answered
   */
  async assertAnswered(forget: () => Promise<void>): Promise<void> {
    if (this.#hasAnswered || !this.#last) return;
    await forget();
    throw this.#last.error;
  }
}

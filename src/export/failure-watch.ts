/** Decides which failures a run can go on after, and notices when the service as a whole is gone. */
import { failureOf, isSkippable } from './gap.js';

/** Users or sessions that fail in a row because nothing answers, before the run gives up. */
const PATIENCE = 10;

export class FailureWatch {
  #hasAnswered = false;
  #inARow = 0;

  /** The service has answered as it should. */
  succeeded(): void {
    this.#hasAnswered = true;
    this.#inARow = 0;
  }

  /** Whether a user's or a session's failure ends the run; asked once for each. */
  isFatal(error: unknown): boolean {
    if (!isSkippable(error)) return true;
    if (failureOf(error) !== 'unreachable') return false;
    this.#inARow++;
    // where nothing has ever answered there is no service
    return !this.#hasAnswered || this.#inARow >= PATIENCE;
  }
}

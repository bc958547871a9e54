import { JobvaultError } from '../base/error.js';

/** A user or session to be erased is on hold: nothing was changed. */
export class ErasureHeldError extends JobvaultError {
  override readonly name = 'ErasureHeldError';
  readonly code = 'ERASURE_HELD';
  readonly disposition = 'fatal';
  readonly failure = 'refused';

  /** @param holds where each of the holds was read, so that somebody can find and release it */
  constructor(who: string, why: string, holds: readonly string[]) {
    super(`${who} is not erased: ${why}: ${holds.join(', ')}; nothing was changed`);
  }
}

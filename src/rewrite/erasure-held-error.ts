import { JobvaultError } from '../base/error.js';

/** A user or session to be erased is on hold: nothing was changed. */
export class ErasureHeldError extends JobvaultError {
  override readonly name = 'ErasureHeldError';
  readonly code = 'ERASURE_HELD';
  readonly disposition = 'fatal';
  readonly failure = 'refused';

  constructor(who: string, why: string) {
    super(`${who} is not erased: ${why}; nothing was changed`);
  }
}

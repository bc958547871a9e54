import { JobvaultError, type Disposition } from './error.js';

/** Something the user asked for makes no sense; the message names it, what came and what is allowed. */
export class UsageError extends JobvaultError {
  override readonly name = 'UsageError';
  readonly code = 'USAGE';
  readonly disposition: Disposition = 'fatal';
  readonly failure = 'usage';
}

import { JobvaultError } from './error.js';

/** Something the user asked for makes no sense; the message names it, what came and what is allowed. */
export class UsageError extends JobvaultError {
  override readonly name = 'UsageError';
  readonly code = 'USAGE';
  readonly disposition = 'fatal';
  readonly failure = 'usage';
}

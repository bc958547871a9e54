import { JobvaultError } from '../base/error.js';

/** The queue has lost users of a run: it cannot be said to have ended. */
export class UsersLostError extends JobvaultError {
  override readonly name = 'UsersLostError';
  readonly code = 'FLEET_USERS_LOST';
  readonly disposition = 'fatal';
  readonly failure = 'unexpected';
}

/** What a fleet can fail with, and the check of the URL of its Redis. Does not load the Redis client. */
import { JobvaultError, type ErrorDetails, type FailureKind } from '../base/error.js';

/** Redis cannot be reached, or refuses a command. The message has the URL without its password. */
export class RedisError extends JobvaultError {
  override readonly name = 'RedisError';
  readonly code = 'FLEET_REDIS';
  readonly disposition = 'fatal';
  /** `authentication` if Redis refuses the user, the password or a permission. */
  readonly failure: FailureKind;

  constructor(
    message: string,
    { failure = 'unreachable', ...details }: ErrorDetails & { readonly failure?: FailureKind } = {},
  ) {
    super(message, details);
    this.failure = failure;
  }
}

/** The queue has lost users of a run: it cannot be said to have ended. */
export class UsersLostError extends JobvaultError {
  override readonly name = 'UsersLostError';
  readonly code = 'FLEET_USERS_LOST';
  readonly disposition = 'fatal';
  readonly failure = 'unexpected';
}

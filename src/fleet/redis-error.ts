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

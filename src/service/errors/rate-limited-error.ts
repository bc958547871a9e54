import { ServiceError } from './service-error.js';

/** The rate limit of the team is reached (429, 201); the operation was not carried out. */
export class RateLimitedError extends ServiceError {
  override readonly name = 'RateLimitedError';
  readonly code = 'SERVICE_RATE_LIMITED';
  readonly disposition = 'retry';
  readonly failure = 'unreachable';
  readonly mayHaveHappened = false;
}

import { ServiceError } from './service-error.js';

/** The team has used up its requests (429, 201); nothing was done. */
export class RateLimitedError extends ServiceError {
  override readonly name = 'RateLimitedError';
  readonly code = 'SERVICE_RATE_LIMITED';
  readonly disposition = 'retry';
  readonly failure = 'unreachable';
  readonly mayHaveHappened = false;
}

import { ServiceError } from './service-error.js';

/** The answer was not complete when the deadline for the whole request was over. */
export class RequestTimeoutError extends ServiceError {
  override readonly name = 'RequestTimeoutError';
  readonly code = 'SERVICE_TIMEOUT';
  readonly disposition = 'retry';
  readonly failure = 'unreachable';
  readonly mayHaveHappened = true;
}

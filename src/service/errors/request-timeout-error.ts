import { ServiceError } from './service-error.js';

/** The answer was not complete at the deadline of the request. */
export class RequestTimeoutError extends ServiceError {
  override readonly name = 'RequestTimeoutError';
  readonly code = 'SERVICE_TIMEOUT';
  readonly disposition = 'retry';
  readonly failure = 'unreachable';
  readonly mayHaveHappened = true;
}

import { ServiceError } from './service-error.js';

/** The service refused with an unknown code, or with an HTTP status and no code. */
export class ServiceFailureError extends ServiceError {
  override readonly name = 'ServiceFailureError';
  readonly code = 'SERVICE_FAILURE';
  readonly disposition = 'skip';
  readonly failure = 'unreachable';
  readonly mayHaveHappened = false;
}

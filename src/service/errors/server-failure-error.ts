import { ServiceError } from './service-error.js';

/** The service failed (HTTP 5xx or 408, or code 9999), and may have carried out the operation before. */
export class ServerFailureError extends ServiceError {
  override readonly name = 'ServerFailureError';
  readonly code = 'SERVICE_SERVER_FAILURE';
  readonly disposition = 'retry';
  readonly failure = 'unreachable';
  readonly mayHaveHappened = true;
}

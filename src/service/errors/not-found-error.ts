import { ServiceError } from './service-error.js';

/** The requested resource does not exist, or no longer (300003). A bare HTTP 404 is not enough for this error. */
export class NotFoundError extends ServiceError {
  override readonly name = 'NotFoundError';
  readonly code = 'SERVICE_NOT_FOUND';
  readonly disposition = 'skip';
  readonly failure = 'usage';
  readonly mayHaveHappened = false;
}

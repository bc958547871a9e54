import { ServiceError } from './service-error.js';

/** What was asked for is not there, or no longer (300003). Never concluded from a bare HTTP 404. */
export class NotFoundError extends ServiceError {
  override readonly name = 'NotFoundError';
  readonly code = 'SERVICE_NOT_FOUND';
  readonly disposition = 'skip';
  readonly failure = 'usage';
  readonly mayHaveHappened = false;
}

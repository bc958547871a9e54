import { ServiceError } from './service-error.js';

/** The user has reached the limit of sessions (300009): one must be deleted before another can be created. */
export class SessionCapError extends ServiceError {
  override readonly name = 'SessionCapError';
  readonly code = 'SERVICE_SESSION_CAP';
  readonly disposition = 'fatal';
  readonly failure = 'usage';
  readonly mayHaveHappened = false;
}

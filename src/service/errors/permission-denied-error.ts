import { ServiceError } from './service-error.js';

/** No permission for this user or this session (300002); others may work. */
export class PermissionDeniedError extends ServiceError {
  override readonly name = 'PermissionDeniedError';
  readonly code = 'SERVICE_PERMISSION_DENIED';
  readonly disposition = 'skip';
  readonly failure = 'authentication';
  readonly mayHaveHappened = false;
}

import { ServiceError } from './service-error.js';

/** The key is good but not for this user (1003); others may work. */
export class UserRefusedError extends ServiceError {
  override readonly name = 'UserRefusedError';
  readonly code = 'SERVICE_USER_REFUSED';
  readonly disposition = 'skip';
  readonly failure = 'authentication';
  readonly mayHaveHappened = false;
}

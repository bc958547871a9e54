import { ServiceError } from './service-error.js';

/** The API key is bad or has expired (1004, 1002, or a bare 401, 403 or 407): no request with it will succeed. */
export class AuthenticationError extends ServiceError {
  override readonly name = 'AuthenticationError';
  readonly code = 'SERVICE_AUTHENTICATION';
  readonly disposition = 'fatal';
  readonly failure = 'authentication';
  readonly mayHaveHappened = false;
}

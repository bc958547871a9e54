import { ServiceError } from './service-error.js';

/** HTTP 404 for a list of sessions or datasets, which always exists: the address is wrong. Rarely temporary. */
export class WrongAddressError extends ServiceError {
  override readonly name = 'WrongAddressError';
  readonly code = 'SERVICE_WRONG_ADDRESS';
  readonly disposition = 'retry';
  readonly failure = 'unreachable';
  readonly mayHaveHappened = false;
  override readonly retries = 'brief';
}

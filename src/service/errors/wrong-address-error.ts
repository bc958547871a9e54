import { ServiceError } from './service-error.js';

/** HTTP 404 where there is always something: a list of sessions or datasets. Seldom passes by itself. */
export class WrongAddressError extends ServiceError {
  override readonly name = 'WrongAddressError';
  readonly code = 'SERVICE_WRONG_ADDRESS';
  readonly disposition = 'retry';
  readonly failure = 'unreachable';
  readonly mayHaveHappened = false;
  override readonly retries = 'brief';
}

import { ServiceError } from './service-error.js';

/** The service rejects the parameters (300001): a mistake of ours or of the user, or a page size that it does not grant. */
export class InvalidRequestError extends ServiceError {
  override readonly name = 'InvalidRequestError';
  readonly code = 'SERVICE_INVALID_REQUEST';
  readonly disposition = 'fatal';
  readonly failure = 'usage';
  readonly mayHaveHappened = false;
}

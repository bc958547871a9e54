import { ServiceError } from './service-error.js';

/** The service finds the parameters invalid (300001): a mistake of ours or of the user's, or a page size it does not grant. */
export class InvalidRequestError extends ServiceError {
  override readonly name = 'InvalidRequestError';
  readonly code = 'SERVICE_INVALID_REQUEST';
  readonly disposition = 'fatal';
  readonly failure = 'usage';
  readonly mayHaveHappened = false;
}

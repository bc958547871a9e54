import { JobvaultError } from '../../base/error.js';

/** An id that no path can hold: the service may have given it, and then only its session is out of reach. */
export class UnusableIdError extends JobvaultError {
  override readonly name = 'UnusableIdError';
  readonly code = 'SERVICE_UNUSABLE_ID';
  readonly disposition = 'skip';
  readonly failure = 'usage';

  constructor(field: string, id: string) {
    super(`${field} is "${id}", which no request can name`);
  }
}

import { UsageError } from '../../base/usage-error.js';

/** An id that no path can hold. The service may have given it: then its session is out of reach, and no other. */
export class UnusableIdError extends UsageError {
  override readonly disposition = 'skip';

  constructor(field: string, id: string) {
    super(`${field} is "${id}", which no request can name`);
  }
}

import { UsageError } from '../../base/usage-error.js';

/** An id that cannot be part of a URL path. If it came from the service, only that session cannot be read. */
export class UnusableIdError extends UsageError {
  override readonly disposition = 'skip';

  constructor(field: string, id: string) {
    super(`${field} is "${id}", which cannot be part of a URL path`);
  }
}

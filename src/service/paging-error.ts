import { JobvaultError } from '../base/error.js';

/** A listing could not be read to its end; the message says how many items were seen. They are kept. */
export class PagingError extends JobvaultError {
  override readonly name = 'PagingError';
  readonly code = 'SERVICE_PAGING';
  readonly disposition = 'skip';
  readonly failure = 'unexpected';
}

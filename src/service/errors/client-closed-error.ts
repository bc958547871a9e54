import { JobvaultError } from '../../base/error.js';

/** The client was closed before or during a call: a mistake in the calling code. */
export class ClientClosedError extends JobvaultError {
  override readonly name = 'ClientClosedError';
  readonly code = 'SERVICE_CLIENT_CLOSED';
  readonly disposition = 'fatal';
  readonly failure = 'unexpected';

  constructor() {
    super('the service client is closed');
  }
}

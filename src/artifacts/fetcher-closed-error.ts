import { JobvaultError } from '../base/error.js';

/** A file was requested, or still being downloaded, when the fetcher was closed. */
export class FetcherClosedError extends JobvaultError {
  override readonly name = 'FetcherClosedError';
  readonly code = 'ARTIFACT_FETCHER_CLOSED';
  readonly disposition = 'fatal';
  readonly failure = 'unexpected';

  constructor() {
    super('the file fetcher is closed');
  }
}

import { JobvaultError } from '../base/error.js';

/** The log must be signed, and this run has no key or the wrong one. */
export class SigningKeyError extends JobvaultError {
  override readonly name = 'SigningKeyError';
  readonly code = 'ARCHIVE_SIGNING_KEY';
  readonly disposition = 'fatal';
  readonly failure = 'usage';
}

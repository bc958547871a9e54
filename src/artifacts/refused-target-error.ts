import { JobvaultError } from '../base/error.js';

/** A URL, an address or a redirect that a guard refuses. The message has no query string. */
export class RefusedTargetError extends JobvaultError {
  override readonly name = 'RefusedTargetError';
  readonly code = 'ARTIFACT_TARGET_REFUSED';
  readonly disposition = 'skip';
  readonly failure = 'refused';
}

import { ServiceError } from './service-error.js';

/** The decompressed answer is larger than allowed; reading stopped there. A smaller page may fit. */
export class BodyTooLargeError extends ServiceError {
  override readonly name = 'BodyTooLargeError';
  readonly code = 'SERVICE_BODY_TOO_LARGE';
  readonly disposition = 'skip';
  readonly failure = 'unreachable';
  readonly mayHaveHappened = true;
}

import { ServiceError } from './service-error.js';

/** The service redirects (HTTP 3xx). Redirects are not followed, so that no other host gets the API key. */
export class RedirectRefusedError extends ServiceError {
  override readonly name = 'RedirectRefusedError';
  readonly code = 'SERVICE_REDIRECT_REFUSED';
  readonly disposition = 'fatal';
  readonly failure = 'unreachable';
  readonly mayHaveHappened = false;
}

import { ServiceError } from './service-error.js';

/** The service points elsewhere (HTTP 3xx). Not followed: the API key stays with the host it was meant for. */
export class RedirectRefusedError extends ServiceError {
  override readonly name = 'RedirectRefusedError';
  readonly code = 'SERVICE_REDIRECT_REFUSED';
  readonly disposition = 'fatal';
  readonly failure = 'unreachable';
  readonly mayHaveHappened = false;
}

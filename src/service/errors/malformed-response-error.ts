import { ServiceError, type ServiceErrorDetails } from './service-error.js';

export interface MalformedResponseErrorDetails extends ServiceErrorDetails {
  readonly retries?: 'full' | 'brief';
}

/**
 * An answer in a wrong format: a login page, truncated JSON, a page without records. The message quotes its
 * beginning, redacted. The parser's error is not kept, because it quotes the body.
 */
export class MalformedResponseError extends ServiceError {
  override readonly name = 'MalformedResponseError';
  readonly code = 'SERVICE_MALFORMED_RESPONSE';
  readonly disposition = 'retry';
  readonly failure = 'unreachable';
  readonly mayHaveHappened = true;
  override readonly retries: 'full' | 'brief';

  constructor(what: string, details: MalformedResponseErrorDetails) {
    super(what, details);
    this.retries = details.retries ?? 'full';
  }
}

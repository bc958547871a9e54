import { ServiceError, type ServiceErrorDetails } from './service-error.js';

export interface MalformedResponseErrorDetails extends ServiceErrorDetails {
  readonly retries?: 'full' | 'brief';
}

/**
 * An answer that is not the interface's: a login page, JSON cut short, a page without records. The
 * message quotes its beginning, redacted; the parser's own error is not kept, as it quotes the body.
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

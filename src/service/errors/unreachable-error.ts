import { ServiceError, type ServiceErrorDetails } from './service-error.js';

export interface UnreachableErrorDetails extends ServiceErrorDetails {
  /** False where the connection was never made. */
  readonly mayHaveHappened: boolean;
  readonly retries?: 'full' | 'brief';
}

/** No complete answer came: no such host, connection refused or broken, no trusted certificate. */
export class UnreachableError extends ServiceError {
  override readonly name = 'UnreachableError';
  readonly code = 'SERVICE_UNREACHABLE';
  readonly disposition = 'retry';
  readonly failure = 'unreachable';
  readonly mayHaveHappened: boolean;
  override readonly retries: 'full' | 'brief';

  constructor(what: string, details: UnreachableErrorDetails) {
    super(what, details);
    this.mayHaveHappened = details.mayHaveHappened;
    this.retries = details.retries ?? 'full';
  }
}

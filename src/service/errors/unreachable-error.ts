import { ServiceError, type ServiceErrorDetails } from './service-error.js';

export interface UnreachableErrorDetails extends ServiceErrorDetails {
  /** False if no connection was made. */
  readonly mayHaveHappened: boolean;
  readonly retries?: 'full' | 'brief';
}

/** No complete answer came: unknown host, connection refused or broken, untrusted certificate. */
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

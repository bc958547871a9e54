import { ServiceError } from './service-error.js';

/**
 * The service answered with a success, but its data are unusable: no list of records, no id, or another
 * resource. This concerns the requested resource only, not the service.
 */
export class UnusableAnswerError extends ServiceError {
  override readonly name = 'UnusableAnswerError';
  readonly code = 'SERVICE_UNUSABLE_ANSWER';
  readonly disposition = 'retry';
  readonly failure = 'unreachable';
  readonly mayHaveHappened = true;
  override readonly retries = 'brief';
}

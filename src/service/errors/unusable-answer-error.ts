import { ServiceError } from './service-error.js';

/**
 * The service answered with a success, but what it says cannot be used: no list of records, no id, or
 * it is about something else. The trouble is of what was asked for, not of the service.
 */
export class UnusableAnswerError extends ServiceError {
  override readonly name = 'UnusableAnswerError';
  readonly code = 'SERVICE_UNUSABLE_ANSWER';
  readonly disposition = 'retry';
  readonly failure = 'unreachable';
  readonly mayHaveHappened = true;
  override readonly retries = 'brief';
}

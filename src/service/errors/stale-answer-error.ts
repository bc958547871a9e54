import { JobvaultError } from '../../base/error.js';

/**
 * A cache between jobvault and the service answered from its memory, also when it was asked past: what came may be
 * older than the request, so it proves nothing. The message names the header.
 */
export class StaleAnswerError extends JobvaultError {
  override readonly name = 'StaleAnswerError';
  readonly code = 'SERVICE_STALE_ANSWER';
  readonly disposition = 'skip';
  readonly failure = 'refused';
}

/** @param header as `staleBecause` has it */
export function staleText(session: string, header: string): string {
  return `a cache answered for session ${session} from its memory (${header}), also when asked again: this proves nothing`;
}

import { JobvaultError, type ErrorDetails } from '../base/error.js';

/** What the pack was being made of has left the archive meanwhile; made once more, it is as the archive is now. */
export class RewrittenMeanwhileError extends JobvaultError {
  override readonly name = 'RewrittenMeanwhileError';
  readonly code = 'EVIDENCE_REWRITTEN_MEANWHILE';
  readonly disposition = 'retry';
  readonly failure = 'locked';

  constructor(location: string, details: ErrorDetails = {}) {
    super(
      `${location} was compacted or erased from while the pack was made: make it again`,
      details,
    );
  }
}

import { JobvaultError, type ErrorDetails } from '../base/error.js';

/** What was being read has left the archive meanwhile; read once more, it is as the archive is now. */
export class RewrittenMeanwhileError extends JobvaultError {
  override readonly name = 'RewrittenMeanwhileError';
  readonly code = 'ARCHIVE_REWRITTEN_MEANWHILE';
  readonly disposition = 'retry';
  readonly failure = 'locked';

  /** @param made what was being made of it */
  constructor(location: string, made: 'pack' | 'report', details: ErrorDetails = {}) {
    super(
      `${location} was compacted or erased from while the ${made} was made: make it again`,
      details,
    );
  }
}

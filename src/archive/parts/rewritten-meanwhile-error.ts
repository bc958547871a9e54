import { JobvaultError, type ErrorDetails } from '../../base/error.js';

/** What was being made of the archive. */
export type Made = 'pack' | 'report' | 'workbook' | 'copy' | 'answer';

/** What was being read has left the archive meanwhile; read once more, it is as the archive is now. */
export class RewrittenMeanwhileError extends JobvaultError {
  override readonly name = 'RewrittenMeanwhileError';
  readonly code = 'ARCHIVE_REWRITTEN_MEANWHILE';
  readonly disposition = 'retry';
  readonly failure = 'locked';

  constructor(location: string, made: Made, details: ErrorDetails = {}) {
    super(
      `${location} was compacted or erased from while the ${made} was made: make it again`,
      details,
    );
  }
}

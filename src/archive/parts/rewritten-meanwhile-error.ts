import { JobvaultError, type ErrorDetails } from '../../base/error.js';

/** What was made from the archive. */
export type Made =
  | 'pack'
  | 'report'
  | 'workbook'
  | 'copy'
  | 'answer'
  | 'list of checksums'
  | 'list of changes'
  | 'drill';

/** Files have left the archive while they were read. A second attempt reads the archive as it is now. */
export class RewrittenMeanwhileError extends JobvaultError {
  override readonly name = 'RewrittenMeanwhileError';
  readonly code = 'ARCHIVE_REWRITTEN_MEANWHILE';
  readonly disposition = 'retry';
  readonly failure = 'locked';

  constructor(location: string, made: Made, details: ErrorDetails = {}) {
    super(
      `${location} was compacted or erased from while the ${made} was made: try again`,
      details,
    );
  }
}

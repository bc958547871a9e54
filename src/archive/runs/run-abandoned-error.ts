import { JobvaultError } from '../../base/error.js';
import type { RunId } from '../../model/ids.js';

/** The log lists this run as abandoned: it may not commit any more. */
export class RunAbandonedError extends JobvaultError {
  override readonly name = 'RunAbandonedError';
  readonly code = 'ARCHIVE_RUN_ABANDONED';
  readonly disposition = 'fatal';
  readonly failure = 'locked';

  constructor(
    readonly run: RunId,
    readonly commit: number,
  ) {
    super(`commit ${commit} has abandoned this run (${run}): another run found it dead`);
  }
}

import { JobvaultError } from '../../base/error.js';
import type { RunId } from '../../model/ids.js';

/** Another run took this one for dead and wrote that into the log: nothing of it may be committed any more. */
export class RunAbandonedError extends JobvaultError {
  override readonly name = 'RunAbandonedError';
  readonly code = 'ARCHIVE_RUN_ABANDONED';
  readonly disposition = 'fatal';
  readonly failure = 'locked';

  constructor(
    readonly run: RunId,
    readonly commit: number,
  ) {
    super(`commit ${commit} has abandoned this run (${run}): another run took it for dead`);
  }
}

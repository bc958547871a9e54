import { JobvaultError } from '../base/error.js';

/** An erasure is running, or its run died. Until it is finished, the log is half redacted. */
export class ErasureUnfinishedError extends JobvaultError {
  override readonly name = 'ErasureUnfinishedError';
  readonly code = 'ARCHIVE_ERASURE_UNFINISHED';
  readonly disposition = 'fatal';
  readonly failure = 'locked';

  constructor(location: string) {
    super(
      `an erasure from ${location} is not finished: wait until it ends; if its run has died, jobvault compact finishes it (at once on the same machine, after a day on another)`,
    );
  }
}

import { JobvaultError } from '../base/error.js';

/** An erasure is under way, or its run died: until it is finished, the log is half redacted. */
export class ErasureUnfinishedError extends JobvaultError {
  override readonly name = 'ErasureUnfinishedError';
  readonly code = 'ARCHIVE_ERASURE_UNFINISHED';
  readonly disposition = 'fatal';
  readonly failure = 'locked';

  constructor(location: string) {
    super(
      `an erasure from ${location} is not finished: let it end; if its run has died, jobvault compact finishes it, on the same machine at once and elsewhere after a day`,
    );
  }
}

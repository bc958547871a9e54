import { JobvaultError } from '../../base/error.js';

/** Other runs took every number that this run tried. Nothing of this checkpoint is committed; a later run does it again. */
export class LogCrowdedError extends JobvaultError {
  override readonly name = 'LogCrowdedError';
  readonly code = 'ARCHIVE_LOG_CROWDED';
  readonly disposition = 'retry';
  readonly failure = 'locked';

  constructor(newest: number, tries: number) {
    super(
      `other runs took the last ${tries} numbers of the log, up to commit ${newest}: start fewer runs at a time, or try again later`,
    );
  }
}

import { JobvaultError } from '../../base/error.js';

/** Other runs were quicker each time: nothing of this checkpoint stands, and a later run does it again. */
export class LogCrowdedError extends JobvaultError {
  override readonly name = 'LogCrowdedError';
  readonly code = 'ARCHIVE_LOG_CROWDED';
  readonly disposition = 'retry';
  readonly failure = 'locked';

  constructor(newest: number, tries: number) {
    super(
      `other runs have won the last ${tries} places in the log, up to commit ${newest}: run fewer at a time, or again later`,
    );
  }
}

/** The changes that one job makes to the archive; prepared ahead, applied in the order of the history. */
import type { GapEntry, JobLine } from '../../archive/log/commit.js';
import type { JobToFlatten } from '../../flatten/flatten-job.js';

export interface PreparedJob {
  /** The job's entry in the log. */
  readonly line: JobLine;
  /** All gaps of the job as of now. */
  readonly gaps: readonly GapEntry[];
  /**
   * Turned into rows as late as possible, because rows are several times as large as the record.
   * Undefined if the archived rows stay and only the log changes.
   */
  readonly toWrite: JobToFlatten | undefined;
}

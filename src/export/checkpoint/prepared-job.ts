/** What changes in the archive with one job: made before its turn comes, folded in when it has come. */
import type { GapEntry, JobLine } from '../../archive/log/commit.js';
import type { JobToFlatten } from '../../flatten/flatten-job.js';

export interface PreparedJob {
  /** As the log will tell of it. */
  readonly line: JobLine;
  /** All that are known of it now. */
  readonly gaps: readonly GapEntry[];
  /**
   * What becomes rows as late as can be, since the rows of all prepared jobs are several times a page.
   * Undefined where the rows that are archived stand, and only the log learns something.
   */
  readonly toWrite: JobToFlatten | undefined;
}

/** What changes in the archive with one job: made before its turn comes, folded in when it has come. */
import type { GapEntry, JobLine } from '../../archive/log/commit.js';
import type { FileFacts } from '../../flatten/file-facts.js';
import type { FlattenedJob } from '../../flatten/flatten-job.js';

export interface PreparedJob {
  /** As the log will tell of it. */
  readonly line: JobLine;
  /** All that are known of it now. */
  readonly gaps: readonly GapEntry[];
  /** Undefined where the rows that are archived stand, and only the log learns something. */
  readonly written: WrittenJob | undefined;
}

export interface WrittenJob extends FlattenedJob {
  /** One a file reference. */
  readonly files: readonly FileFacts[];
}

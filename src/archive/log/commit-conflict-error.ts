import { JobvaultError } from '../../base/error.js';
import type { SessionId, UserId } from '../../model/ids.js';

/** A session in the log. Session ids are unique within a project, but runs work user by user. */
export interface SessionKey {
  readonly user: UserId;
  readonly session: SessionId;
}

/** Another run has committed sessions of this checkpoint, or rewritten its files: discard the part files and plan again. */
export class CommitConflictError extends JobvaultError {
  override readonly name = 'CommitConflictError';
  readonly code = 'ARCHIVE_COMMIT_CONFLICT';
  readonly disposition = 'retry';
  readonly failure = 'locked';

  constructor(
    /** In the order in which the other commits name them, each once; empty if files were rewritten. */
    readonly sessions: readonly SessionKey[],
    /** Number of the newest commit that was read: plan again from here. */
    readonly newest: number,
  ) {
    super(
      sessions.length === 0
        ? `another run has rewritten files or sessions of this checkpoint, up to commit ${newest}`
        : `another run has archived ${sessions.length} of the sessions of this checkpoint, up to commit ${newest}`,
    );
  }
}

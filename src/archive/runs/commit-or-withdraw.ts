/** Publishes, and names it all in a commit; where the commit surely does not stand, what was published is taken back. */
import { messageOf } from '../../base/error.js';
import type { Logger } from '../../base/logger.js';
import { CommitConflictError } from '../log/commit-conflict-error.js';
import type { CommitDraft } from '../log/commit-draft.js';
import type { CommitLog } from '../log/commit-log.js';
import type { Commit } from '../log/commit.js';
import { LogCrowdedError } from '../log/log-crowded-error.js';
import { RunAbandonedError } from './run-abandoned-error.js';

export interface Publication {
  readonly log: CommitLog;
  readonly logger: Logger;
  /** Brings everything to its place that the commit is to name. */
  readonly publish: () => Promise<CommitDraft>;
  /** Called after a failed `publish`, too. */
  readonly withdraw: () => Promise<void>;
}

/** @throws as `CommitLog.append`; after any other error it is open whether the commit stands */
export async function commitOrWithdraw(publication: Publication): Promise<Commit> {
  const { log, logger, publish, withdraw } = publication;
  const put = { isTried: false };
  try {
    const draft = await publish();
    const onPut = (): void => {
      put.isTried = true;
    };
    return await log.append({ ...draft, onPut });
  } catch (error) {
    if (!put.isTried || isRefused(error)) {
      await withdraw().catch((worse: unknown) => {
        // they are orphans then: known as such, and removed later
        logger.warn({ reason: messageOf(worse) }, 'part files could not be taken back');
      });
    }
    throw error;
  }
}

/** Whether the log has surely not taken a commit that it was asked to append. */
export function isRefused(error: unknown): boolean {
  return (
    error instanceof CommitConflictError ||
    error instanceof RunAbandonedError ||
    error instanceof LogCrowdedError
  );
}

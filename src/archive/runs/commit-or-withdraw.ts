/** Publishes files and commits them. If the commit is surely not in the log, it withdraws the files. */
import type { Archive } from '../archive.js';
import { CommitConflictError, LogCrowdedError, RunAbandonedError } from '../archive-errors.js';
import { messageOf } from '../../base/error.js';
import type { CommitDraft } from '../log/commit-draft.js';
import type { Commit } from '../log/commit.js';

export interface CommitPublication {
  readonly archive: Archive;
  /** Publishes everything that the commit names, and returns its draft. */
  readonly publish: () => Promise<CommitDraft>;
  /** Called after a failed `publish`, too. */
  readonly withdraw: () => Promise<void>;
}

/** @throws as `CommitLog.append`; after any other error it is unknown whether the commit is in the log */
export async function commitOrWithdraw(publication: CommitPublication): Promise<Commit> {
  const { archive, publish, withdraw } = publication;
  const put = { isTried: false };
  try {
    const draft = await publish();
    const onPut = (): void => {
      put.isTried = true;
    };
    return await archive.log.append({ ...draft, onPut });
  } catch (error) {
    if (!put.isTried || isRefused(error)) {
      await withdraw().catch((worse: unknown) => {
        // they become orphans, which a later run removes
        archive.logger.warn({ reason: messageOf(worse) }, 'part files could not be withdrawn');
      });
    }
    throw error;
  }
}

/** Whether the error proves that the log did not take the commit. */
export function isRefused(error: unknown): boolean {
  return (
    error instanceof CommitConflictError ||
    error instanceof RunAbandonedError ||
    error instanceof LogCrowdedError
  );
}

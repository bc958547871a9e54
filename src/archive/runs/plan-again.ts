/** Repeats planning and committing after a conflict with another run. */
import type { Logger } from '../../base/logger.js';
import { ObjectNotFoundError } from '../../storage/storage-errors.js';
import type { Archive } from '../archive.js';
import { CommitConflictError } from '../log/commit-conflict-error.js';
import { watchRewrites } from '../parts/read-unrewritten.js';
import { IntegrityError } from '../verify/integrity-error.js';

/** Conflicts in a row, without a commit of its own, after which a run gives up. */
export const MAX_CONFLICTS = 50;

export interface PlanAgainOptions {
  readonly archive: Archive;
  readonly logger: Logger;
  /** Numbers of the commits that the run has made; each resets the count of conflicts. */
  readonly commits: readonly number[];
  /** Ends the repetition between two attempts. */
  readonly signal?: AbortSignal | undefined;
}

/**
 * @param attempt plans as of the newest commit, and commits. Its errors are passed on, unless they may come from what
 *   other runs have committed, merged or erased meanwhile
 * @throws {CommitConflictError} other runs caused a conflict at every attempt
 */
export async function planAgain<T>(
  { archive, logger, commits, signal }: PlanAgainOptions,
  attempt: () => Promise<T>,
): Promise<T> {
  let conflicts = 0;
  let made = commits.length;
  for (;;) {
    const isRewritten = await watchRewrites(archive);
    try {
      return await attempt();
    } catch (error) {
      const isConflict =
        error instanceof CommitConflictError || (mayBeRewrite(error) && (await isRewritten()));
      if (!isConflict) throw error;
      conflicts = commits.length === made ? conflicts + 1 : 1;
      made = commits.length;
      const newest = archive.index.through;
      if (conflicts > MAX_CONFLICTS) throw new CommitConflictError([], newest);
      signal?.throwIfAborted();
      logger.info({ newest }, 'another run has committed meanwhile; planning again');
    }
  }
}

function mayBeRewrite(error: unknown): boolean {
  return error instanceof IntegrityError || error instanceof ObjectNotFoundError;
}

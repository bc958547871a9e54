/** Commits, or plans again where another run has come between: what was read may have left the archive since. */
import type { Logger } from '../../base/logger.js';
import { ObjectNotFoundError } from '../../storage/object-not-found-error.js';
import type { Archive } from '../archive.js';
import { CommitConflictError } from '../log/commit-conflict-error.js';
import { watchRewrites } from '../parts/read-unrewritten.js';
import { IntegrityError } from '../verify/integrity-error.js';

/** Conflicts with other runs in a row, without one commit of its own, before a run gives way. */
export const MAX_CONFLICTS = 50;

export interface PlanAgainOptions {
  readonly archive: Archive;
  readonly logger: Logger;
  /** Numbers of the commits that the run has made; each resets the count of conflicts. */
  readonly commits: readonly number[];
  /** Aborted to stop between two attempts. */
  readonly signal?: AbortSignal | undefined;
}

/**
 * @param attempt plans as of the newest commit, and commits; what it throws is thrown, unless that may come
 *   from what others have committed, merged or erased meanwhile
 * @throws {CommitConflictError} others were quicker again and again
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
        error instanceof CommitConflictError || (isOfMissing(error) && (await isRewritten()));
      if (!isConflict) throw error;
      conflicts = commits.length === made ? conflicts + 1 : 1;
      made = commits.length;
      const newest = archive.index.through;
      if (conflicts > MAX_CONFLICTS) throw new CommitConflictError([], newest);
      signal?.throwIfAborted();
      logger.info({ newest }, 'another run has committed in between; planning again');
    }
  }
}

function isOfMissing(error: unknown): boolean {
  return error instanceof IntegrityError || error instanceof ObjectNotFoundError;
}

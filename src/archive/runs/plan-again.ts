/** Repeats planning and committing after a conflict with another run. */
import { ObjectNotFoundError } from '../../storage/storage-errors.js';
import type { ArchiveReading } from '../archive.js';
import { CommitConflictError, IntegrityError } from '../archive-errors.js';
import { watchRewrites } from '../consistent-read.js';

/** Conflicts in a row, without a commit of its own, after which a run gives up. */
export const MAX_CONFLICTS = 50;

export interface PlanAgainOptions extends ArchiveReading {
  /** Numbers of the commits that the run has made; each resets the count of conflicts. */
  readonly commits: readonly number[];
}

/**
 * @param attempt plans as of the newest commit, and commits. Its errors are passed on, unless they may come from what
 *   other runs have committed, merged or erased meanwhile
 * @throws {CommitConflictError} other runs caused a conflict at every attempt
 */
export async function planAgain<T>(
  { archive, commits, signal }: PlanAgainOptions,
  attempt: () => Promise<T>,
): Promise<T> {
  const conflicts = new ConflictCount(commits);
  for (;;) {
    const isRewritten = await watchRewrites(archive);
    try {
      return await attempt();
    } catch (error) {
      const isConflict =
        error instanceof CommitConflictError || (mayBeRewrite(error) && (await isRewritten()));
      if (!isConflict) throw error;
      const newest = archive.index.through;
      if (conflicts.isOneTooMany()) throw new CommitConflictError([], newest);
      signal?.throwIfAborted();
      archive.logger.info({ newest }, 'another run has committed meanwhile; planning again');
    }
  }
}

/** The conflicts of a run with others since its own last commit: what commits now and then gets on, however many there are. */
export class ConflictCount {
  #conflicts = 0;
  #commitsBefore: number;
  readonly #commits: readonly number[];

  /** @param commits numbers of those that the run has made: grows with them */
  constructor(commits: readonly number[]) {
    this.#commits = commits;
    this.#commitsBefore = commits.length;
  }

  /** Counts one more. */
  isOneTooMany(): boolean {
    const { length } = this.#commits;
    if (length !== this.#commitsBefore) this.#conflicts = 0;
    this.#commitsBefore = length;
    this.#conflicts++;
    return this.#conflicts > MAX_CONFLICTS;
  }
}

function mayBeRewrite(error: unknown): boolean {
  return error instanceof IntegrityError || error instanceof ObjectNotFoundError;
}

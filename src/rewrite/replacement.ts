/** One rewrite's way into the archive: new files, one commit, and then the old ones leave. */
import type { CommitDraft } from '../archive/log/commit-draft.js';
import { CommitConflictError } from '../archive/log/commit-conflict-error.js';
import type { Commit, CommitScope } from '../archive/log/commit.js';
import { LogCrowdedError } from '../archive/log/log-crowded-error.js';
import { retire } from '../archive/parts/retired.js';
import { RunAbandonedError } from '../archive/runs/run-abandoned-error.js';
import { messageOf } from '../base/error.js';
import type { WrittenPart } from './compaction/part-files.js';
import type { Rewriting } from './rewriting.js';

export interface Replacement extends Pick<CommitDraft, 'isOutdatedBy'> {
  /** The newest commit that was read when it was planned. */
  readonly base: number;
  readonly scope: CommitScope;
  readonly written: readonly WrittenPart[];
  /** Paths that leave the archive. */
  readonly removed: readonly string[];
}

/**
 * Publishes and commits; what no commit can name is taken back.
 *
 * @throws {CommitConflictError} another run has rewritten some of the same files: plan again
 */
export async function commitReplacement(
  rewriting: Rewriting,
  { written, ...draft }: Replacement,
): Promise<Commit> {
  const { archive, tool } = rewriting.options;
  const { run } = rewriting;
  const put = { isTried: false };
  try {
    for (const { entry, staged } of written) await staged.publish(entry.path);
    const commit = await archive.log.append({
      ...draft,
      kind: 'compact',
      run,
      tool,
      checkpoint: rewriting.nextCheckpoint,
      files: written.map(({ entry }) => entry),
      onPut: () => {
        put.isTried = true;
      },
    });
    rewriting.commits.push(commit.number);
    return commit;
  } catch (error) {
    const isRefused =
      error instanceof CommitConflictError ||
      error instanceof RunAbandonedError ||
      error instanceof LogCrowdedError;
    if (isRefused || !put.isTried) await withdraw(rewriting, written);
    throw error;
  }
}

/** Forgets what is written, published or not. */
async function withdraw(
  { options: { archive, logger } }: Rewriting,
  written: readonly WrittenPart[],
): Promise<void> {
  try {
    for (const { entry, staged } of written) {
      await staged.discard();
      // a failed publish may have got as far as the path
      await archive.storage.delete(entry.path);
    }
  } catch (error) {
    logger.warn({ reason: messageOf(error) }, 'part files could not be taken back');
  }
}

/** The old files of a commit that stands. Whoever is killed here leaves them for the next one to see. */
export async function removeOld(
  { options: { archive } }: Rewriting,
  paths: readonly string[],
  graceMs: number,
): Promise<void> {
  for (const path of paths) {
    if (graceMs > 0) await retire(archive.storage, path);
    else await archive.storage.delete(path);
  }
}

/** Commits a rewrite: publishes new files, puts one commit, and then moves the old files away. */
import type { Archive } from '../archive/archive.js';
import type { CommitDraft } from '../archive/log/commit-draft.js';
import type { Commit, CommitScope } from '../archive/log/commit.js';
import { retire } from '../archive/parts/retired.js';
import { retiredPath } from '../archive/paths.js';
import type { ArchiveRun } from '../archive/runs/archive-run.js';
import { commitOrWithdraw } from '../archive/runs/commit-or-withdraw.js';
import { publishAll } from '../storage/publish-all.js';
import type { WrittenPart } from './compaction/part-files.js';

export interface Replacement extends Pick<CommitDraft, 'isOutdatedBy'> {
  /** The newest commit that was read when it was planned. */
  readonly base: number;
  readonly scope: CommitScope;
  readonly written: readonly WrittenPart[];
  /** Paths that leave the archive. */
  readonly removed: readonly string[];
}

/**
 * Publishes and commits; withdraws the files if the commit is refused.
 *
 * @throws {CommitConflictError} another run has rewritten some of the same files: plan again
 */
export async function commitReplacement(
  rewriting: ArchiveRun,
  { written, ...draft }: Replacement,
): Promise<Commit> {
  const { archive, tool, run, logger } = rewriting.options;
  const commit = await commitOrWithdraw({
    log: archive.log,
    logger,
    async publish() {
      const publications = written.map(({ entry, staged }) => ({ staged, path: entry.path }));
      await publishAll(archive.storage, publications);
      const files = written.map(({ entry }) => entry);
      const checkpoint = rewriting.nextCheckpoint;
      return { ...draft, kind: 'compact', run, tool, checkpoint, files };
    },
    async withdraw() {
      for (const { entry, staged } of written) {
        await staged.discard();
        // a failed publish may have written the file
        await archive.storage.delete(entry.path);
      }
    },
  });
  rewriting.commits.push(commit.number);
  return commit;
}

/**
 * Removes the old files after the commit. If the run is killed here, the next one does it.
 *
 * @param archive its index must know the newest erasure before the commit
 */
export async function removeOld(
  { storage, index }: Pick<Archive, 'storage' | 'index'>,
  paths: readonly string[],
  graceMs: number,
): Promise<void> {
  const known = index.lastErasure;
  for (const path of paths) {
    if (graceMs > 0) await retire(storage, path);
    else await storage.delete(path);
  }
  if (graceMs === 0) return;
  // an erasure since then may have emptied `_retired/` before the last of these files was moved there
  await index.refresh();
  if (index.lastErasure === known) return;
  for (const path of paths) await storage.delete(retiredPath(path));
}

/** One rewrite's way into the archive: new files, one commit, and then the old ones leave. */
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
 * Publishes and commits; what no commit can name is taken back.
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
        // a failed publish may have got as far as the path
        await archive.storage.delete(entry.path);
      }
    },
  });
  rewriting.commits.push(commit.number);
  return commit;
}

/**
 * The old files of a commit that stands. A run that is killed here leaves them for the next one to see.
 *
 * @param archive whose index knows the newest erasure before the commit
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
  // an erasure since then has emptied `_retired/`, maybe before the last of these got there
  await index.refresh();
  if (index.lastErasure === known) return;
  for (const path of paths) await storage.delete(retiredPath(path));
}

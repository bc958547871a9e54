/** Merges the small part files of each table and day, or month where that is long over. Rows and all versions stay. */
import { currentContents, rowFormatsOf, type ArchiveTask } from '../../archive/archive.js';
import type { ArchiveRun } from '../../archive/runs/archive-run.js';
import { planAgain, commitOrWithdraw } from '../../archive/runs/plan-again.js';
import { readPart, type WrittenPart } from '../../archive/part-files.js';
import type { Row } from '../../model/table-schema.js';
import type { Commit } from '../../archive/log/commit.js';
import { CONTENT_PREFIXES } from '../../archive/paths.js';
import { publishAll } from '../../storage/storage.js';
import { assertMayDelete, rewriteAlone } from '../rewriting.js';
import { planCompaction, type Merge } from './plan-compaction.js';
import { uselessArtifacts } from '../../archive/unnamed-objects.js';
import { replacedObjects } from '../../archive/consistent-read.js';

export interface CompactChoices {
  /** Approximate size of the new files. Default 256 MB. */
  readonly targetBytes?: number | undefined;
  /** How long the old files stay for those who read them. Default 7 days. */
  readonly graceMs?: number | undefined;
}

export interface CompactOptions extends ArchiveTask, CompactChoices {
  /** Approximate bytes that are merged before a commit. Default 1 GiB. */
  readonly maxPendingBytes?: number;
}

export interface CompactSummary {
  readonly archive: string;
  readonly run: string;
  readonly commits: readonly number[];
  /** Part files that were merged, and the new ones. */
  readonly merged: { readonly files: number; readonly bytes: number; readonly rows: number };
  readonly written: { readonly files: number; readonly bytes: number };
  /** Part files and workbooks that the archive has now. */
  readonly files: number;
  /** Files that this and earlier rewrites have replaced: kept for those who read them, and deleted. */
  readonly replaced: { readonly kept: number; readonly deleted: number };
  readonly duration_ms: number;
}

/**
 * The work that a conflict or a kill can lose. For an archive in a bucket also the local disk space needed:
 * merged files wait there until they are committed.
 */
const MAX_PENDING_BYTES = 2 ** 30;
const COMPACT_DEFAULTS = { targetBytes: 256e6, graceMs: 7 * 86_400_000 } as const;

type CompleteOptions = CompactOptions & { readonly targetBytes: number; readonly graceMs: number };

/**
 * @throws {IntegrityError} the log or a part file is damaged; earlier commits stay
 * @throws {StorageError} this key may not delete: nothing was changed
 * @throws the signal's reason; likewise
 */
export async function compact(given: CompactOptions): Promise<CompactSummary> {
  const options: CompleteOptions = {
    ...given,
    targetBytes: given.targetBytes ?? COMPACT_DEFAULTS.targetBytes,
    graceMs: given.graceMs ?? COMPACT_DEFAULTS.graceMs,
  };
  const { archive, signal } = options;
  const { clock } = archive;
  const startedAt = clock.monotonic();
  await assertMayDelete(archive.storage, CONTENT_PREFIXES);
  return rewriteAlone(options, async (rewriting) => {
    const { run, commits } = rewriting;
    const earlier = await sweepReplaced(options);
    const compaction = new Compaction(options, rewriting);
    await planAgain({ archive, commits, signal }, () => compaction.attempt());
    const { merged, written } = compaction;
    await rewriting.leaveSnapshot();
    const { files } = await currentContents(archive);
    const isKept = options.graceMs > 0;
    const replaced = {
      kept: earlier.kept + (isKept ? merged.files : 0),
      deleted: earlier.deleted + (isKept ? 0 : merged.files),
    };
    return {
      archive: archive.storage.location,
      run,
      commits,
      merged,
      written,
      files: files.size,
      replaced,
      duration_ms: Math.round(clock.monotonic() - startedAt),
    };
  });
}

interface Merged {
  readonly merge: Merge;
  readonly part: WrittenPart;
}

class Compaction {
  readonly merged = { files: 0, bytes: 0, rows: 0 };
  readonly written = { files: 0, bytes: 0 };
  readonly #options: CompleteOptions;
  readonly #rewriting: ArchiveRun;

  constructor(options: CompleteOptions, rewriting: ArchiveRun) {
    this.#options = options;
    this.#rewriting = rewriting;
  }

  /** Merges the files that are small as of the newest commit. */
  async attempt(): Promise<void> {
    const { archive, targetBytes } = this.#options;
    const { maxPendingBytes = MAX_PENDING_BYTES } = this.#options;
    const { files } = await currentContents(archive);
    const base = archive.index.through;
    const formats = await rowFormatsOf(archive);
    const today = new Date(archive.clock.now()).toISOString().slice(0, 10);
    const rules = { formats, targetBytes, today };
    let pending: Merged[] = [];
    let pendingBytes = 0;
    try {
      for (const merge of planCompaction(files.values(), rules)) {
        pending.push({ merge, part: await this.#write(merge) });
        pendingBytes += merge.bytes;
        if (pendingBytes < maxPendingBytes) continue;
        const due = pending;
        [pending, pendingBytes] = [[], 0];
        await this.#commit(base, due);
      }
      const due = pending;
      pending = [];
      if (due.length > 0) await this.#commit(base, due);
    } catch (error) {
      // files that were being committed have been withdrawn
      for (const { part } of pending) await part.staged.discard();
      throw error;
    }
  }

  async #write({ table, format, day, files, bytes }: Merge): Promise<WrittenPart> {
    const { archive, signal } = this.#options;
    async function* rows(): AsyncGenerator<readonly Row[]> {
      for (const file of files) yield* readPart(archive, file, { table, format, signal });
    }
    return this.#rewriting.writePart({ table, format, day, expectedBytes: bytes }, rows());
  }

  async #commit(base: number, pending: readonly Merged[]): Promise<void> {
    const { archive, graceMs } = this.#options;
    const old = pending.flatMap(({ merge }) => merge.files);
    const removed = old.map(({ path }) => path);
    const written = pending.map(({ part }) => part);
    const commit = await this.#replace(base, written, removed);
    await archive.delta.publish();
    for (const file of old) {
      this.merged.files++;
      this.merged.bytes += file.bytes;
      this.merged.rows += file.rows;
    }
    for (const { entry } of written) {
      this.written.files++;
      this.written.bytes += entry.bytes;
    }
    archive.logger.info({ commit: commit.number, files: removed.length }, 'small files merged');
    if (graceMs === 0) for (const path of removed) await archive.storage.delete(path);
  }

  /**
   * Publishes and commits; withdraws the files if the commit is refused.
   *
   * @throws {CommitConflictError} another run has rewritten some of the same files: plan again
   */
  async #replace(
    base: number,
    written: readonly WrittenPart[],
    removed: readonly string[],
  ): Promise<Commit> {
    const { archive, targetBytes } = this.#options;
    const { tool } = archive;
    const { run, commits, nextCheckpoint: checkpoint } = this.#rewriting;
    const scope = { target_bytes: targetBytes };
    const files = written.map(({ entry }) => entry);
    const commit = await commitOrWithdraw({
      archive,
      async publish() {
        const publications = written.map(({ entry, staged }) => ({ staged, path: entry.path }));
        await publishAll(archive.storage, publications);
        return { kind: 'compact', base, run, checkpoint, tool, scope, files, removed };
      },
      async withdraw() {
        for (const { entry, staged } of written) {
          await staged.discard();
          // a failed publish may have written the file
          await archive.storage.delete(entry.path);
        }
      },
    });
    commits.push(commit.number);
    return commit;
  }
}

interface SweptReplaced {
  /** Files that stay for their readers. */
  readonly kept: number;
  readonly deleted: number;
}

/**
 * Deletes what earlier rewrites have replaced, when its grace period is over.
 *
 * @throws {IntegrityError} the log is damaged
 */
async function sweepReplaced({
  archive,
  graceMs,
  signal,
}: CompleteOptions): Promise<SweptReplaced> {
  const { storage, index, clock } = archive;
  await index.refresh();
  let kept = 0;
  const due = await uselessArtifacts(archive);
  for await (const { path, removedAtMs } of replacedObjects(archive)) {
    if (clock.now() - removedAtMs < graceMs) kept++;
    else due.push(path);
  }
  for (const path of due) {
    signal.throwIfAborted();
    await storage.delete(path);
  }
  return { kept, deleted: due.length };
}

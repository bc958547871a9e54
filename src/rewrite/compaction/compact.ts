/** Decides which small part files of a table and day are merged, or of a month that is long over, and merges them. Rows and all versions stay. */
import { dayOf } from '../../model/times/timestamp.js';
import type { FileEntry, Commit } from '../../archive/log/commit.js';
import { firstOfMonth, partitionOf, CONTENT_PREFIXES } from '../../archive/paths.js';
import { groupBy } from '../../base/group-by.js';
import type { RowFormat } from '../../formats/format.js';
import type { TableSchema, Row } from '../../model/table-schema.js';
import { tableNamed } from '../../model/tables.js';
import { currentContents, rowFormatsOf, type ArchiveTask } from '../../archive/archive.js';
import type { ArchiveRun } from '../../archive/runs/archive-run.js';
import { PublishedParts } from '../../archive/runs/published-parts.js';
import { planAgain } from '../../archive/runs/plan-again.js';
import { commitOrWithdraw } from '../../archive/runs/commit-or-withdraw.js';
import { type WrittenPart } from '../../archive/parts/part-files.js';
import { readPart } from '../../archive/parts/read-part.js';
import { assertSizesFit } from '../../storage/size-limit.js';
import { deleteObjects } from '../../storage/small-objects.js';
import { checkObjects } from '../../archive/objects/checked-objects.js';
import { rewriteAlone } from '../rewriting.js';
import { assertMayDelete } from '../assert-may-delete.js';
import { uselessArtifacts } from '../../archive/objects/unnamed-objects.js';
import { replacedObjects, replacementsOf } from '../../archive/objects/replaced-objects.js';

/** Files that one file replaces, with their rows one after the other. */
interface Merge {
  readonly table: TableSchema;
  readonly format: RowFormat;
  /** UTC day of the new file; the first of the month where days of a month are merged. */
  readonly day: string;
  /** At least two, in the order of the log. */
  readonly files: readonly FileEntry[];
  readonly bytes: number;
}

export interface CompactionRules {
  /** Row formats of the archive. */
  readonly formats: readonly RowFormat[];
  /** The most that one merge reads. */
  readonly targetBytes: number;
  /** UTC day: `2026-11-25`. */
  readonly today: string;
}

/** A month is merged when its last day is so long ago: until then no run that is late adds to it. */
const DAYS_AFTER_MONTH = 31;
/** A file of less than this share of the target size counts as so much: merging such files costs next to nothing. */
const LEAST_WEIGHT = 1 / 256;

/**
 * A file of at least half the target size stays, and so do files with columns that this version does not know.
 * A smaller one waits until those smaller than it are as much as itself. So a row that is written again comes into a
 * file of twice the size, eight times at most, or into one that is still tiny.
 *
 * @param files of the newest contents, in the order of the log
 */
export function planCompaction(
  files: Iterable<FileEntry>,
  { formats, targetBytes, today }: CompactionRules,
): Merge[] {
  const small = [...files].flatMap((file, order) => {
    const place = partitionOf(file.path);
    const table = tableNamed(file.table);
    const format = formats.find(({ extension }) => extension === place?.extension);
    const isSmall = file.bytes < targetBytes / 2;
    if (!place || !format || !isSmall || table?.fingerprint !== file.schema) return [];
    const weight = Math.max(file.bytes, targetBytes * LEAST_WEIGHT);
    return [{ table, format, day: mergedDay(place.day, today), file, order, weight }];
  });
  const partitions = groupBy(
    small,
    (part) => `${part.table.name} ${part.day} ${part.format.extension}`,
  );
  return [...partitions.values()].flatMap((partition) => {
    const [first] = partition;
    if (!first) return [];
    const { table, format, day } = first;
    return binsOf(partition, targetBytes).map((bin) => ({
      table,
      format,
      day,
      files: bin.toSorted((a, b) => a.order - b.order).map(({ file }) => file),
      bytes: bytesOf(bin),
    }));
  });
}

/** The day itself; the first of its month if that is long over. */
function mergedDay(day: string, today: string): string {
  const [year = 0, month = 0] = day.split('-').map(Number);
  const monthEndedMs = Date.UTC(year, month, 1); // the first of the next month
  const isOver = Date.parse(today) - monthEndedMs >= DAYS_AFTER_MONTH * 86_400_000;
  return isOver ? firstOfMonth(day) : day;
}

interface SmallFile {
  readonly file: FileEntry;
  /** Its place in the log. */
  readonly order: number;
  /** Its bytes, or the least that a file counts as. */
  readonly weight: number;
}

function binsOf<T extends SmallFile>(files: readonly T[], targetBytes: number): T[][] {
  const bins: T[][] = [];
  let bytes = 0;
  for (const smallFile of files.toSorted((a, b) => a.file.bytes - b.file.bytes)) {
    const open = bins.at(-1);
    bytes += smallFile.file.bytes;
    if (open && bytes <= targetBytes) open.push(smallFile);
    else {
      bins.push([smallFile]);
      bytes = smallFile.file.bytes;
    }
  }
  return bins.map((bin) => worthwhileOf(bin, targetBytes)).filter((bin) => bin.length > 1);
}

/** Without the largest files that would be written again too early. @param bin smallest file first */
function worthwhileOf<T extends SmallFile>(bin: readonly T[], targetBytes: number): T[] {
  let bytes = bytesOf(bin);
  let weight = bin.reduce((sum, smallFile) => sum + smallFile.weight, 0);
  let count = bin.length;
  for (; count > 1; count--) {
    const largest = bin[count - 1];
    // a file of half the target size is not written again
    if (!largest || weight >= 2 * largest.weight || bytes >= targetBytes / 2) break;
    bytes -= largest.file.bytes;
    weight -= largest.weight;
  }
  return bin.slice(0, count);
}

function bytesOf(files: readonly SmallFile[]): number {
  return files.reduce((sum, { file }) => sum + file.bytes, 0);
}

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
  /** Part files that the archive has now. */
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
 * @throws {UsageError} `targetBytes` is more than the storage takes in one object
 * @throws {IntegrityError} the log or a part file is damaged; earlier commits stay
 * @throws {StorageError} this key may not delete: nothing was changed
 * @throws the signal's reason; earlier commits stay
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
  assertSizesFit(archive.storage, options);
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
    const today = dayOf(archive.clock.now());
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
    if (graceMs === 0) await deleteObjects(archive.storage, removed);
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
    const { archive, targetBytes, signal } = this.#options;
    const { tool } = archive;
    const { run, commits, nextCheckpoint: checkpoint } = this.#rewriting;
    const scope = { target_bytes: targetBytes };
    const files = written.map(({ entry }) => entry);
    const published = new PublishedParts(archive);
    const commit = await commitOrWithdraw({
      archive,
      async publish() {
        await published.publish(written);
        await published.readBack(written, run, signal);
        return { kind: 'compact', base, run, checkpoint, tool, scope, files, removed };
      },
      async withdraw() {
        for (const { staged } of written) await staged.discard();
        await published.withdraw();
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
 * Deletes what earlier rewrites have replaced, when its grace period is over and what took its place was read back.
 *
 * @throws {IntegrityError} the log is damaged, or such a file: nothing was deleted
 */
async function sweepReplaced({
  archive,
  graceMs,
  signal,
}: CompleteOptions): Promise<SweptReplaced> {
  const { storage, index, clock } = archive;
  await index.refresh();
  let kept = 0;
  const replaced: string[] = [];
  for await (const { path, removedAtMs } of replacedObjects(archive)) {
    if (clock.now() - removedAtMs < graceMs) kept++;
    else replaced.push(path);
  }
  await checkObjects(storage, replacementsOf(archive, replaced), signal);
  const due = [...(await uselessArtifacts(archive)), ...replaced];
  await deleteObjects(storage, due, signal);
  return { kept, deleted: due.length };
}

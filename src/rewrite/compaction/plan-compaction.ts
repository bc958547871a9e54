/** Decides which small files are merged: those of a table, row format and day, or of a month that is long over. Pure. */
import type { FileEntry } from '../../archive/log/commit.js';
import { firstOfMonth, partitionOf } from '../../archive/paths.js';
import { groupBy } from '../../base/group-by.js';
import type { RowFormat } from '../../formats/format.js';
import type { TableSchema } from '../../model/table-schema.js';
import { tableNamed } from '../../model/tables.js';

/** Files that one file replaces, with their rows one after the other. */
export interface Merge {
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
  const partitions = groupBy(small, (of) => `${of.table.name} ${of.day} ${of.format.extension}`);
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
  for (const one of files.toSorted((a, b) => a.file.bytes - b.file.bytes)) {
    const open = bins.at(-1);
    bytes += one.file.bytes;
    if (open && bytes <= targetBytes) open.push(one);
    else {
      bins.push([one]);
      bytes = one.file.bytes;
    }
  }
  return bins.map((bin) => worthwhileOf(bin, targetBytes)).filter((bin) => bin.length > 1);
}

/** Without the largest files that would be written again too early. @param bin smallest file first */
function worthwhileOf<T extends SmallFile>(bin: readonly T[], targetBytes: number): T[] {
  let bytes = bytesOf(bin);
  let weight = bin.reduce((sum, one) => sum + one.weight, 0);
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

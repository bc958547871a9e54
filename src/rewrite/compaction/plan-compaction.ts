/** Decides which small files are merged: files of the same table, day and format, up to the target size. Pure. */
import type { FileEntry } from '../../archive/log/commit.js';
import { partitionOf } from '../../archive/paths.js';
import { groupBy } from '../../base/group-by.js';
import type { RowFormat } from '../../formats/format.js';
import type { TableSchema } from '../../model/table-schema.js';
import { tableNamed } from '../../model/tables.js';

/** Files that one file replaces, with their rows one after the other. */
export interface Merge {
  readonly table: TableSchema;
  readonly format: RowFormat;
  /** UTC day. */
  readonly day: string;
  /** At least two, in the order of the log. */
  readonly files: readonly FileEntry[];
  readonly bytes: number;
}

/**
 * A file of at least half the target size stays: otherwise it would be written again with every new small file.
 * Files with columns that this version does not know stay as well.
 *
 * @param files of the newest contents, in the order of the log
 */
export function planCompaction(
  files: Iterable<FileEntry>,
  formats: readonly RowFormat[],
  targetBytes: number,
): Merge[] {
  const small = [...files].flatMap((file) => {
    const place = partitionOf(file.path);
    const table = tableNamed(file.table);
    const format = formats.find(({ extension }) => extension === place?.extension);
    const isSmall = file.bytes < targetBytes / 2;
    if (!place || !format || !isSmall || !table || !isKnown(table, file.schema)) return [];
    return [{ ...place, table, format, file }];
  });
  const partitions = groupBy(small, (of) => `${of.table.name} ${of.day} ${of.extension}`);
  return [...partitions.values()].flatMap((partition) => {
    const [first] = partition;
    if (!first) return [];
    const { table, format, day } = first;
    const bins = binsOf(
      partition.map(({ file }) => file),
      targetBytes,
    );
    return bins.map((bin) => ({ table, format, day, ...bin }));
  });
}

function isKnown(table: TableSchema, schema: string | null): boolean {
  return [table, ...table.earlier].some(({ fingerprint }) => fingerprint === schema);
}

type Bin = Pick<Merge, 'files' | 'bytes'>;

function binsOf(files: readonly FileEntry[], targetBytes: number): Bin[] {
  const bins: { files: FileEntry[]; bytes: number }[] = [];
  for (const file of files) {
    const open = bins.at(-1);
    if (open && open.bytes + file.bytes <= targetBytes) {
      open.files.push(file);
      open.bytes += file.bytes;
    } else bins.push({ files: [file], bytes: file.bytes });
  }
  return bins.filter((bin) => bin.files.length > 1);
}

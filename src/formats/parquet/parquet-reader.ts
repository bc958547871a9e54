/** Reads the rows of a Parquet file, one row group in memory at a time. */
import { parquetScan, type FileMetaData } from 'hyparquet';
import { messageOf } from '../../base/error.js';
import type { CellValue, Column, Row, TableSchema } from '../../model/table-schema.js';
import { readRange } from '../read-range.js';
import type { ByteSource } from '../format.js';
import { FormatError } from '../format-error.js';
import { pageDecompressors } from './parquet-codec.js';
import { readParquetFooter } from './parquet-footer.js';
import { columnsOf } from './parquet-schema.js';
import { checkRowGroup } from './checksums.js';

const BATCH_ROWS = 1000;

type Cells = ArrayLike<CellValue | undefined>;

/** hyparquet's own parsers drop a leading U+FEFF of a text and the microseconds of a timestamp. */
const EXACT_PARSERS = {
  stringFromBytes: (bytes: Uint8Array | undefined) =>
    bytes && Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('utf8'),
  timestampFromMicroseconds: (micros: bigint) => micros,
};

/**
 * @param omitted columns that are not decoded: their cells are null
 * @throws {FormatError} the file is damaged, cut short, or not of this table
 */
export async function* readParquetRows(
  table: TableSchema,
  source: ByteSource,
  omitted: readonly string[] = [],
): AsyncGenerator<readonly Row[]> {
  const { metadata, checksums } = await readParquetFooter(source);
  const present = columnsOf(table, metadata.schema).filter(({ name }) => !omitted.includes(name));
  // its bytes are let go of before the rows are given: an answer may have 64 MB
  const columnsAt = async (index: number, range: (typeof checksums)[number]) => {
    const bytes = await readRange(source, range.start, range.start + range.bytes);
    checkRowGroup(range, bytes);
    const group = metadata.row_groups[index];
    const row_groups = group ? [group] : [];
    return decodeRowGroup(present, bytes, range.start, { ...metadata, row_groups });
  };
  for (const [index, range] of checksums.entries()) {
    const rows = Number(metadata.row_groups[index]?.num_rows ?? 0);
    const columns = await columnsAt(index, range);
    for (let start = 0; start < rows; start += BATCH_ROWS) {
      yield rowsOf(table, columns, start, Math.min(start + BATCH_ROWS, rows));
    }
  }
}

/** @returns the cells of each column, by its name */
async function decodeRowGroup(
  present: readonly Column[],
  bytes: Uint8Array<ArrayBuffer>,
  offset: number,
  metadata: FileMetaData,
): Promise<ReadonlyMap<string, Cells>> {
  try {
    const scan = await parquetScan({
      file: {
        byteLength: offset + bytes.byteLength,
        slice: (start, end = offset + bytes.byteLength) =>
          bytes.buffer.slice(start - offset, end - offset),
      },
      metadata,
      compressors: await pageDecompressors(),
      parsers: EXACT_PARSERS,
      geoparquet: false,
    });
    const [range] = scan.ranges;
    if (!range) throw new Error('a row group without rows');
    const columns = new Map<string, Cells>();
    for (const { name } of present) {
      const cells = (await scan.readColumn({ column: name, ...range })) as Cells;
      if (cells.length !== range.rowEnd - range.rowStart) {
        throw new Error(`${name} has ${cells.length} of ${range.rowEnd - range.rowStart} values`);
      }
      columns.set(name, cells);
    }
    return columns;
  } catch (cause) {
    throw new FormatError(
      `The Parquet row group at byte ${offset} cannot be read: ${messageOf(cause)}`,
      { cause },
    );
  }
}

/** Cells of a column that the file lacks are null. */
function rowsOf(
  table: TableSchema,
  columns: ReadonlyMap<string, Cells>,
  start: number,
  end: number,
): Row[] {
  const cells = table.columns.map(({ name }) => [name, columns.get(name)] as const);
  const rows: Row[] = [];
  for (let at = start; at < end; at++) {
    const row: Record<string, CellValue> = {};
    for (const [name, values] of cells) row[name] = values?.[at] ?? null;
    rows.push(row);
  }
  return rows;
}

/** A Parquet file back to rows, a row group in memory at a time. */
import { parquetScan, type FileMetaData } from 'hyparquet';
import { messageOf } from '../../base/error.js';
import type { CellValue, Row, TableSchema } from '../../model/table-schema.js';
import { readRange } from '../read-range.js';
import type { ByteSource } from '../format.js';
import { FormatError } from '../format-error.js';
import { pageDecompressors } from './parquet-codec.js';
import { readParquetFooter } from './parquet-footer.js';
import { checkSchema } from './parquet-schema.js';
import { checkRowGroup, type RowGroupChecksum } from './seal.js';

const BATCH_ROWS = 1000;

type Cells = ArrayLike<CellValue | undefined>;

/** hyparquet's own parsers cut a leading U+FEFF off a text and the microseconds off a timestamp. */
const EXACT_PARSERS = {
  stringFromBytes: (bytes: Uint8Array | undefined) =>
    bytes && Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('utf8'),
  timestampFromMicroseconds: (micros: bigint) => micros,
};

/** @throws {FormatError} damaged, cut short, or not this table */
export async function* readParquetRows(
  table: TableSchema,
  source: ByteSource,
): AsyncGenerator<readonly Row[]> {
  const { metadata, seals } = await readParquetFooter(source);
  checkSchema(table, metadata.schema);
  for (const [index, seal] of seals.entries()) {
    const bytes = await readRange(source, seal.start, seal.start + seal.bytes);
    checkRowGroup(seal, bytes);
    const group = metadata.row_groups[index];
    const rows = Number(group?.num_rows ?? 0);
    const columns = await decodeRowGroup(table, bytes, seal, {
      ...metadata,
      row_groups: group ? [group] : [],
    });
    for (let start = 0; start < rows; start += BATCH_ROWS) {
      yield rowsOf(table, columns, start, Math.min(start + BATCH_ROWS, rows));
    }
  }
}

async function decodeRowGroup(
  table: TableSchema,
  bytes: Uint8Array<ArrayBuffer>,
  seal: RowGroupChecksum,
  metadata: FileMetaData,
): Promise<readonly Cells[]> {
  try {
    const scan = await parquetScan({
      file: {
        byteLength: seal.start + seal.bytes,
        slice: (start, end = seal.start + seal.bytes) =>
          bytes.buffer.slice(start - seal.start, end - seal.start),
      },
      metadata,
      compressors: await pageDecompressors(),
      parsers: EXACT_PARSERS,
      geoparquet: false,
    });
    const [range] = scan.ranges;
    if (!range) throw new Error('a row group without rows');
    const columns: Cells[] = [];
    for (const { name } of table.columns) {
      const cells = (await scan.readColumn({ column: name, ...range })) as Cells;
      if (cells.length !== range.rowEnd - range.rowStart) {
        throw new Error(`${name} has ${cells.length} of ${range.rowEnd - range.rowStart} values`);
      }
      columns.push(cells);
    }
    return columns;
  } catch (cause) {
    throw new FormatError(
      `The Parquet row group at byte ${seal.start} cannot be read: ${messageOf(cause)}`,
      { cause },
    );
  }
}

function rowsOf(table: TableSchema, columns: readonly Cells[], start: number, end: number): Row[] {
  const rows: Row[] = [];
  for (let at = start; at < end; at++) {
    const row: Record<string, CellValue> = {};
    for (const [index, { name }] of table.columns.entries())
      row[name] = columns[index]?.[at] ?? null;
    rows.push(row);
  }
  return rows;
}

/** The Parquet format. DuckDB, Spark and pandas read its files without conversion. */
import { type RowFormat, type ByteSource, FormatError } from '../format.js';
import { type ParquetCodec, pageDecompressors, assertColumnsOf } from './parquet-codec.js';
import { readParquetFooter, readRange } from './parquet-footer.js';
import { ParquetRowWriter } from './parquet-writer.js';
import { parquetScan, type FileMetaData } from 'hyparquet';
import { messageOf } from '../../base/error.js';
import type { CellValue, Column, Row, TableSchema } from '../../model/table-schema.js';
import { checkRowGroup } from './checksums.js';

export interface ParquetOptions {
  /** Default `zstd`. */
  readonly codec?: ParquetCodec | undefined;
  /**
   * Whether columns with repeated values get a dictionary. Default: with zstd only. The other codecs are for
   * simple readers, and the simplest (parquetjs) cannot read dictionaries.
   */
  readonly dictionary?: boolean | undefined;
  /**
   * A row group ends at about this many bytes of values; default 4 MiB. It bounds the memory of the writer
   * and of readers. With 8 MiB an export took 17 MB more; the size of the files and the CPU time of DuckDB's
   * queries were the same.
   */
  readonly rowGroupBytes?: number | undefined;
  /** A row group ends at this many rows; default 50,000. */
  readonly rowGroupRows?: number | undefined;
}

/** Writes data pages of version 2. */
export function createParquetFormat(options: ParquetOptions = {}): RowFormat {
  const { codec = 'zstd', rowGroupBytes = 4 * 2 ** 20, rowGroupRows = 50_000 } = options;
  const { dictionary = codec === 'zstd' } = options;
  return {
    name: 'parquet',
    extension: 'parquet',
    openWriter: (table, sink) =>
      new ParquetRowWriter(table, sink, { codec, dictionary, rowGroupBytes, rowGroupRows }),
    readRows: (table, source, omitted) => readParquetRows(table, source, omitted),
    countRows: async (source) => (await readParquetFooter(source)).rows,
  };
}

/** Reads the rows of a Parquet file, one row group in memory at a time. */

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
async function* readParquetRows(
  table: TableSchema,
  source: ByteSource,
  omitted: readonly string[] = [],
): AsyncGenerator<readonly Row[]> {
  const { metadata, checksums } = await readParquetFooter(source);
  assertColumnsOf(table, metadata.schema);
  const present = table.columns.filter(({ name }) => !omitted.includes(name));
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

/** Cells of an omitted column are null. */
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

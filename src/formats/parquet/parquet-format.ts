/** The Parquet format: columns, row groups and types that DuckDB, Spark and pandas read as they stand. */
import type { RowFormat } from '../format.js';
import type { ParquetCodec } from './parquet-codec.js';
import { readParquetFooter } from './parquet-footer.js';
import { readParquetRows } from './parquet-reader.js';
import { ParquetRowWriter } from './parquet-writer.js';

export interface ParquetOptions {
  /** Default `zstd`. */
  readonly codec?: ParquetCodec | undefined;
  /**
   * Whether values that repeat are kept once a row group. Default: with zstd only. The other codecs are
   * there for simple readers, and the simplest (parquetjs) know no dictionaries.
   */
  readonly dictionary?: boolean | undefined;
  /**
   * A row group is closed when it holds about this many bytes of values; default 4 MiB. It bounds the
   * memory of a writer, and of whoever reads the file. With 8 MiB an export took 17 MB more, and neither
   * the size of the files nor the CPU of DuckDB's queries over them differed.
   */
  readonly rowGroupBytes?: number | undefined;
  /** A row group is closed at this many rows; default 50,000. */
  readonly rowGroupRows?: number | undefined;
}

/** Data pages are of version 2: the library writes no other. */
export function createParquetFormat(options: ParquetOptions = {}): RowFormat {
  const { codec = 'zstd', rowGroupBytes = 4 * 2 ** 20, rowGroupRows = 50_000 } = options;
  const { dictionary = codec === 'zstd' } = options;
  return {
    name: 'parquet',
    extension: 'parquet',
    openWriter: (table, sink) =>
      new ParquetRowWriter(table, sink, { codec, dictionary, rowGroupBytes, rowGroupRows }),
    readRows: (table, source) => readParquetRows(table, source),
    countRows: async (source) => (await readParquetFooter(source)).rows,
  };
}

/** The Parquet format. DuckDB, Spark and pandas read its files without conversion. The footer is read in ranges, before any column. */
import { type RowFormat } from '../format.js';
import { type ParquetCodec } from './parquet-codec.js';
import { ParquetRowWriter } from './parquet-writer.js';
import { readParquetRows } from './parquet-rows.js';
import { readParquetFooter } from './parquet-footer.js';

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
    readRows: (table, source, omitted, wanted) => readParquetRows(table, source, omitted, wanted),
    countRows: async (source) => Number((await readParquetFooter(source)).num_rows),
  };
}

/** The formats of part files. */
import type { RowFormat } from './format.js';
import { createJsonlFormat } from './jsonl/jsonl-format.js';
import { createParquetFormat, type ParquetOptions } from './parquet/parquet-format.js';

export interface RowFormatOptions {
  readonly parquet?: ParquetOptions | undefined;
}

export function rowFormats(options: RowFormatOptions = {}): readonly RowFormat[] {
  return [createParquetFormat(options.parquet), createJsonlFormat()];
}

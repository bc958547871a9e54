/** The formats of part files, and the format of a file by its extension. */
import type { RowFormat } from './format.js';
import { createJsonlFormat } from './jsonl/jsonl-format.js';
import { createParquetFormat, type ParquetOptions } from './parquet/parquet-format.js';

export interface RowFormatOptions {
  readonly parquet?: ParquetOptions | undefined;
}

export function rowFormats(options: RowFormatOptions = {}): readonly RowFormat[] {
  return [createParquetFormat(options.parquet), createJsonlFormat()];
}

/** The format of a path by its extension, or `undefined`. The options are for writers only. */
export function formatOf(path: string, options: RowFormatOptions = {}): RowFormat | undefined {
  return rowFormats(options).find(({ extension }) => path.endsWith(`.${extension}`));
}

/** The formats of an archive's tables, and which of them a file is in. */
import type { RowFormat } from './format.js';
import { createJsonlFormat } from './jsonl/jsonl-format.js';
import { createParquetFormat, type ParquetOptions } from './parquet/parquet-format.js';

export interface RowFormatOptions {
  readonly parquet?: ParquetOptions | undefined;
}

export function rowFormats(options: RowFormatOptions = {}): readonly RowFormat[] {
  return [createParquetFormat(options.parquet), createJsonlFormat()];
}

/** The format that a path's extension names, or `undefined`. Options matter to writers only. */
export function formatOf(path: string, options: RowFormatOptions = {}): RowFormat | undefined {
  return rowFormats(options).find(({ extension }) => path.endsWith(`.${extension}`));
}

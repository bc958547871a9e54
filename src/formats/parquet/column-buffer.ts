/** The cells of one column that wait for their row group. */
import type { CellValue, ColumnType } from '../../model/table-schema.js';
import { TextBuffer } from './text-buffer.js';

export interface ColumnBuffer {
  /** Keeps a value and returns about how many bytes it holds on to. */
  push(value: CellValue): number;
  /** What is kept, in the order pushed, as the Parquet writer takes it: texts are UTF-8. */
  values(): (CellValue | Uint8Array)[];
  clear(): void;
}

export function columnBuffer(type: ColumnType): ColumnBuffer {
  return type === 'string' ? new TextBuffer() : new ValueBuffer();
}

/** What a number, a boolean or a bigint costs in memory: a slot of the array, and a box. */
const BYTES_A_VALUE = 16;

class ValueBuffer implements ColumnBuffer {
  #values: CellValue[] = [];

  push(value: CellValue): number {
    this.#values.push(value);
    return BYTES_A_VALUE;
  }

  values(): CellValue[] {
    return this.#values;
  }

  clear(): void {
    this.#values = [];
  }
}

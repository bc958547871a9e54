/** The cells of one column that wait for their row group. */
import type { CellValue } from '../../model/table-schema.js';

/** What a cell costs in memory beside its text: a slot of the array, and a boxed value. */
const BYTES_A_CELL = 16;

export class ColumnBuffer {
  readonly #values: CellValue[] = [];
  #last = '';

  /** Keeps a value and returns about how many bytes it holds on to. */
  push(value: CellValue): number {
    if (typeof value !== 'string') {
      this.#values.push(value);
      return BYTES_A_CELL;
    }
    // Ids, and whatever else repeats from row to row, are kept once.
    if (value === this.#last) {
      this.#values.push(this.#last);
      return BYTES_A_CELL;
    }
    const utf8 = Buffer.from(value, 'utf8');
    // The text on its own: V8 keeps a slice as a pointer into its parent, and many of our texts are slices
    // of a page body of a megabyte. One short cell would hold all of it until the row group is full.
    this.#last = utf8.toString('utf8');
    this.#values.push(this.#last);
    return BYTES_A_CELL + utf8.byteLength;
  }

  /** The values in the order pushed; the buffer is empty afterwards. */
  take(): CellValue[] {
    this.#last = '';
    return this.#values.splice(0);
  }
}

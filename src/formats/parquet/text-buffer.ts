/**
 * The texts of one column as UTF-8 in one stretch of memory outside of V8's heap.
 *
 * Kept as strings, they would cost two bytes a character as soon as one is not Latin, and V8 keeps a
 * slice as a pointer into its parent: many of our texts are slices of a page body of a megabyte, and one
 * short cell would hold all of it until the row group is full. Measured with nine writers of text at
 * once: peak 494 MB with strings, 330 MB with this.
 */
import type { CellValue } from '../../model/table-schema.js';

const FIRST_BYTES = 1024;
/** Texts that repeat from row to row (ids, mostly) are kept once; longer ones hardly ever do. */
const LONGEST_REPEATED = 128;
/** Two numbers a cell. */
const BYTES_A_CELL = 16;
const NULL = -1;

export class TextBuffer {
  #bytes = Buffer.allocUnsafeSlow(FIRST_BYTES);
  #used = 0;
  #starts: number[] = [];
  #ends: number[] = [];
  /** The text kept last, which ends where the next one begins. */
  #last: string | undefined;
  #lastStart = 0;

  push(text: CellValue): number {
    if (typeof text !== 'string') return this.#keep(0, NULL);
    if (text === this.#last) return this.#keep(this.#lastStart, this.#used);
    const start = this.#used;
    this.#reserve(Buffer.byteLength(text, 'utf8'));
    this.#used += this.#bytes.write(text, start, 'utf8');
    this.#lastStart = start;
    // A copy of its own, so that it does not hold a parent, either.
    this.#last =
      text.length <= LONGEST_REPEATED ? this.#bytes.toString('utf8', start, this.#used) : undefined;
    return this.#keep(start, this.#used) + this.#used - start;
  }

  /** Views of what is kept: good until the next `push` or `clear`. Repeated texts are the same view. */
  values(): (Uint8Array | null)[] {
    let view: Uint8Array | null = null;
    let viewStart = NULL;
    return this.#starts.map((start, index) => {
      const end = this.#ends[index] ?? NULL;
      if (end === NULL) return null;
      if (view === null || start !== viewStart || start + view.byteLength !== end) {
        view = new Uint8Array(this.#bytes.buffer, start, end - start);
        viewStart = start;
      }
      return view;
    });
  }

  /** The memory is used again, unless one unusual row group made it much larger than the next needs. */
  clear(): void {
    if (this.#used * 4 < this.#bytes.byteLength) this.#bytes = Buffer.allocUnsafeSlow(FIRST_BYTES);
    this.#used = 0;
    this.#starts = [];
    this.#ends = [];
    this.#last = undefined;
  }

  #keep(start: number, end: number): number {
    this.#starts.push(start);
    this.#ends.push(end);
    return BYTES_A_CELL;
  }

  #reserve(bytes: number): void {
    if (this.#used + bytes <= this.#bytes.byteLength) return;
    const larger = Buffer.allocUnsafeSlow(Math.max(this.#bytes.byteLength * 2, this.#used + bytes));
    this.#bytes.copy(larger, 0, 0, this.#used);
    this.#bytes = larger;
  }
}

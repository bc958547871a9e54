/**
 * Values of one column as Parquet's PLAIN pages hold them, in one stretch of memory outside of V8's heap:
 * what is written is a view of it.
 *
 * Kept as strings, texts would cost two bytes a character as soon as one is not Latin, and V8 keeps a
 * slice as a pointer into its parent: many of our texts are slices of a page body of a megabyte, and one
 * short cell would hold all of it until the row group is full. Measured with nine writers of text at
 * once: peak 494 MB with strings, 330 MB with this.
 */
import type { CellValue } from '../../model/table-schema.js';

const FIRST_BYTES = 1024;
/** Before each text: its length, as a number of 32 bits. */
const PREFIX_BYTES = 4;
/** The most that a UTF-16 unit takes in UTF-8. */
const BYTES_A_UNIT = 3;

export class PlainValues {
  #bytes = Buffer.allocUnsafeSlow(FIRST_BYTES);
  #used = 0;

  /** Bytes in use. */
  get end(): number {
    return this.#used;
  }

  append(value: NonNullable<CellValue>): void {
    const start = this.#used;
    if (typeof value === 'string') {
      this.#reserve(PREFIX_BYTES + value.length * BYTES_A_UNIT);
      const written = this.#bytes.write(value, start + PREFIX_BYTES, 'utf8');
      this.#bytes.writeUInt32LE(written, start);
      this.#used += PREFIX_BYTES + written;
    } else if (typeof value === 'bigint') {
      this.#reserve(8);
      this.#used = this.#bytes.writeBigInt64LE(value, start);
    } else {
      this.#reserve(4);
      this.#used = this.#bytes.writeInt32LE(Number(value), start);
    }
  }

  /** Appends what stands elsewhere. */
  copy(from: PlainValues, start: number, end: number): void {
    this.#reserve(end - start);
    this.#used += from.#bytes.copy(this.#bytes, this.#used, start, end);
  }

  /** A text as a string of its own, which holds no parent. */
  textAt(start: number, end: number): string {
    return this.#bytes.toString('utf8', start + PREFIX_BYTES, end);
  }

  int32At(start: number): number {
    return this.#bytes.readInt32LE(start);
  }

  int64At(start: number): bigint {
    return this.#bytes.readBigInt64LE(start);
  }

  /** Where the text that starts here ends. */
  endOfText(start: number): number {
    return start + PREFIX_BYTES + this.#bytes.readUInt32LE(start);
  }

  /** As the UTF-8 of two texts is ordered; in JavaScript, since most differ within a few bytes. */
  compareTexts(a: number, b: number): number {
    if (a === b) return 0;
    const bytes = this.#bytes;
    const [lengthA, lengthB] = [bytes.readUInt32LE(a), bytes.readUInt32LE(b)];
    const [startA, startB] = [a + PREFIX_BYTES, b + PREFIX_BYTES];
    const shorter = Math.min(lengthA, lengthB);
    for (let at = 0; at < shorter; at++) {
      const difference = (bytes[startA + at] ?? 0) - (bytes[startB + at] ?? 0);
      if (difference !== 0) return difference;
    }
    return lengthA - lengthB;
  }

  /** A text's UTF-8, as a view that is good until more is appended. */
  utf8At(start: number): Uint8Array {
    return this.#bytes.subarray(start + PREFIX_BYTES, this.endOfText(start));
  }

  /** As it is written; good until more is appended. */
  view(start: number, end: number): Uint8Array {
    return this.#bytes.subarray(start, end);
  }

  /** The memory is used again, unless one unusual row group made it much larger than the next needs. */
  clear(): void {
    if (this.#used * 4 < this.#bytes.byteLength) this.#bytes = Buffer.allocUnsafeSlow(FIRST_BYTES);
    this.#used = 0;
  }

  #reserve(bytes: number): void {
    if (this.#used + bytes <= this.#bytes.byteLength) return;
    const larger = Buffer.allocUnsafeSlow(Math.max(this.#bytes.byteLength * 2, this.#used + bytes));
    this.#bytes.copy(larger, 0, 0, this.#used);
    this.#bytes = larger;
  }
}

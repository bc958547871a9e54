/**
 * Values of one column in Parquet's PLAIN encoding, in one buffer outside of V8's heap. Pages are views of it.
 *
 * As strings, texts would take more: two bytes a character once one is not Latin-1, and V8 keeps a slice as a
 * pointer into its parent. Many texts are slices of a response body of a megabyte, so one short cell would keep
 * all of it in memory until the row group is written. Peak memory of nine writers of text at once: 494 MB
 * with strings, 330 MB with this.
 */
import type { CellValue } from '../../model/table-schema.js';

const FIRST_BYTES = 1024;
/** Several row groups' worth: the jobs, blocks and records of one answer of 50 MB would each keep another 50 MB. */
const MOST_KEPT_BYTES = 32 * 2 ** 20;
/** The length of a text, before its UTF-8. */
const PREFIX_BYTES = 4;
/** At most, in UTF-8. */
const BYTES_PER_CODE_UNIT = 3;

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
      this.#reserve(PREFIX_BYTES + value.length * BYTES_PER_CODE_UNIT);
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

  /** Appends encoded values of another buffer. */
  copy(from: PlainValues, start: number, end: number): void {
    this.#reserve(end - start);
    this.#used += from.#bytes.copy(this.#bytes, this.#used, start, end);
  }

  /** The text as a new string, which keeps no other in memory. */
  textAt(start: number, end: number): string {
    return this.#bytes.toString('utf8', start + PREFIX_BYTES, end);
  }

  int32At(start: number): number {
    return this.#bytes.readInt32LE(start);
  }

  int64At(start: number): bigint {
    return this.#bytes.readBigInt64LE(start);
  }

  /** The offset of the end of the text that starts here. */
  endOfText(start: number): number {
    return start + PREFIX_BYTES + this.#bytes.readUInt32LE(start);
  }

  /** Compares the UTF-8 of two texts. In JavaScript, since most texts differ within a few bytes. */
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

  /** A view of the text's UTF-8, valid until the next append. */
  utf8At(start: number): Uint8Array {
    return this.#bytes.subarray(start + PREFIX_BYTES, this.endOfText(start));
  }

  /** A view of encoded values, valid until the next append. */
  view(start: number, end: number): Uint8Array {
    return this.#bytes.subarray(start, end);
  }

  /** Keeps the memory for the next row group, unless less than a quarter of it was used, or a text was very long. */
  clear(): void {
    const { byteLength } = this.#bytes;
    if (this.#used * 4 < byteLength || byteLength > MOST_KEPT_BYTES) {
      this.#bytes = Buffer.allocUnsafeSlow(FIRST_BYTES);
    }
    this.#used = 0;
  }

  #reserve(bytes: number): void {
    if (this.#used + bytes <= this.#bytes.byteLength) return;
    const larger = Buffer.allocUnsafeSlow(Math.max(this.#bytes.byteLength * 2, this.#used + bytes));
    this.#bytes.copy(larger, 0, 0, this.#used);
    this.#bytes = larger;
  }
}

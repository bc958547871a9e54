/**
 * Buffers the cells of one column until their row group is written. Cells are encoded as they come: to keep
 * values, and to go through them again for dictionary, pages and statistics, took a third of an export's time.
 */
import type { CellValue } from '../../model/table-schema.js';
import { Uint32List } from './uint32-list.js';

const FIRST_BYTES = 1024;
/** Several row groups' worth: the jobs, blocks and records of one answer of 50 MB would each keep another 50 MB. */
const MOST_KEPT_BYTES = 32 * 2 ** 20;
/** The length of a text, before its UTF-8. */
const PREFIX_BYTES = 4;
/** At most, in UTF-8. */
const BYTES_PER_CODE_UNIT = 3;

/**
 * Values of one column in Parquet's PLAIN encoding, in one buffer outside of V8's heap. Pages are views of it.
 *
 * As strings, texts would take more: two bytes a character once one is not Latin-1, and V8 keeps a slice as a
 * pointer into its parent. Many texts are slices of a response body of a megabyte, so one short cell would keep
 * all of it in memory until the row group is written. Peak memory of nine writers of text at once: 494 MB
 * with strings, 330 MB with this.
 */
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

/** Memory for a cell beside its encoded value: a number in each of two lists. */
const BYTES_A_CELL = 16;
/** Characters. Longer texts are not looked up in the dictionary: they hardly ever repeat. */
const LONGEST_REPEATED = 128;
/** After this many values, a column whose values hardly repeat drops its dictionary. */
const SAMPLE_VALUES = 1000;
const SAMPLE_SHARE = 0.9;

/** The cells of a column chunk, ready to be written. */
export interface ColumnContent {
  /** For each row 1, or 0 where the cell is null. */
  readonly definitionLevels: Uint32Array;
  /** The dictionary; without one, every value in the order of the rows. */
  readonly values: PlainValues;
  /** The offset of each of `values`. */
  readonly starts: Uint32Array;
  /** The dictionary index of each value in the order of the rows; undefined without a dictionary. */
  readonly indexes: Uint32Array | undefined;
}

export class ColumnBuffer {
  readonly #mayHaveDictionary: boolean;
  #values = new PlainValues();
  readonly #definitionLevels = new Uint32List();
  #starts = new Uint32List();
  readonly #indexes = new Uint32List();
  #hasDictionary: boolean;
  #known = new Map<CellValue, number>();
  /** The last two distinct cells: most cells repeat one of them, since keys stay and types of blocks alternate. */
  #last: CellValue = null;
  #lastIndex = 0;
  #before: CellValue = null;
  #beforeIndex = 0;
  /** Bytes of all values without a dictionary. */
  #plainBytes = 0;

  /** @param options.dictionary whether the column may have a dictionary */
  constructor(options: { readonly dictionary: boolean }) {
    this.#mayHaveDictionary = options.dictionary;
    this.#hasDictionary = options.dictionary;
  }

  /** Adds a cell. @returns about how many bytes of memory it takes */
  push(cell: CellValue): number {
    if (cell === null) {
      this.#definitionLevels.push(0);
      return BYTES_A_CELL;
    }
    this.#definitionLevels.push(1);
    const before = this.#values.end;
    if (this.#hasDictionary) this.#pushIndexed(cell);
    else this.#append(cell);
    return BYTES_A_CELL + this.#values.end - before;
  }

  content(): ColumnContent {
    if (this.#hasDictionary && !this.#isWorthwhile()) this.#dropDictionary();
    return {
      definitionLevels: this.#definitionLevels.view(),
      values: this.#values,
      starts: this.#starts.view(),
      indexes: this.#hasDictionary ? this.#indexes.view() : undefined,
    };
  }

  clear(): void {
    this.#values.clear();
    this.#definitionLevels.clear();
    this.#starts.clear();
    this.#indexes.clear();
    this.#hasDictionary = this.#mayHaveDictionary;
    this.#known = new Map();
    this.#last = null;
    this.#before = null;
    this.#plainBytes = 0;
  }

  #pushIndexed(cell: NonNullable<CellValue>): void {
    const index =
      cell === this.#last
        ? this.#lastIndex
        : cell === this.#before
          ? this.#beforeIndex
          : this.#indexOf(cell);
    this.#indexes.push(index);
    this.#plainBytes += this.#endOf(index) - (this.#starts.at(index) ?? 0);
    const isSampled = this.#indexes.length === SAMPLE_VALUES;
    if (isSampled && this.#values.end > this.#plainBytes * SAMPLE_SHARE) this.#dropDictionary();
  }

  #indexOf(cell: NonNullable<CellValue>): number {
    const isLong = typeof cell === 'string' && cell.length > LONGEST_REPEATED;
    const known = isLong ? undefined : this.#known.get(cell);
    if (known !== undefined) {
      this.#remember(cell, known);
      return known;
    }
    const index = this.#starts.length;
    const start = this.#values.end;
    this.#append(cell);
    if (!isLong) {
      // a copy: a slice would keep the whole body that it was cut from in memory
      const copy = typeof cell === 'string' ? this.#values.textAt(start, this.#values.end) : cell;
      this.#known.set(copy, index);
      this.#remember(copy, index);
    }
    return index;
  }

  #remember(cell: CellValue, index: number): void {
    this.#before = this.#last;
    this.#beforeIndex = this.#lastIndex;
    this.#last = cell;
    this.#lastIndex = index;
  }

  #append(cell: NonNullable<CellValue>): void {
    this.#starts.push(this.#values.end);
    this.#values.append(cell);
  }

  /** The dictionary and its indexes must take at most half of the bytes of the values. */
  #isWorthwhile(): boolean {
    const bits = Math.ceil(Math.log2(this.#starts.length));
    return 2 * (this.#values.end + (this.#indexes.length * bits) / 8) <= this.#plainBytes;
  }

  #dropDictionary(): void {
    this.#hasDictionary = false;
    this.#known = new Map();
    if (this.#indexes.length === this.#starts.length) return; // no value has repeated
    const [values, starts] = [new PlainValues(), new Uint32List()];
    for (const index of this.#indexes.view()) {
      starts.push(values.end);
      values.copy(this.#values, this.#starts.at(index) ?? 0, this.#endOf(index));
    }
    this.#values = values;
    this.#starts = starts;
  }

  #endOf(index: number): number {
    return this.#starts.at(index + 1) ?? this.#values.end;
  }
}

/**
 * The cells of one column that wait for their row group, encoded as they come: a third of an export's
 * time went into keeping them as values and going through these again for dictionary, pages and bounds.
 */
import type { CellValue } from '../../model/table-schema.js';
import { PlainValues } from './plain-values.js';

/** What a cell costs in memory beside its bytes: numbers in two lists. */
const BYTES_A_CELL = 16;
/** Texts that repeat from row to row (ids, mostly) are looked up; longer ones hardly ever repeat. */
const LONGEST_REPEATED = 128;
/** After so many values a column whose values hardly repeat gives up its dictionary. */
const SAMPLE_VALUES = 1000;
const SAMPLE_SHARE = 0.9;

/** A column's cells, ready to be written. */
export interface ColumnContent {
  /** For each row 1, or 0 where there is no value. */
  readonly levels: readonly number[];
  /** In the order of the rows; the distinct ones where there is a dictionary. */
  readonly values: PlainValues;
  /** Where each of `values` starts. */
  readonly starts: readonly number[];
  /** For each value its place in the dictionary; undefined where there is none. */
  readonly indexes: readonly number[] | undefined;
}

export class ColumnBuffer {
  readonly #mayRepeat: boolean;
  #values = new PlainValues();
  #levels: number[] = [];
  #starts: number[] = [];
  /** While there is a dictionary. */
  #indexes: number[] | undefined;
  #known = new Map<CellValue, number>();
  #last: CellValue = null;
  #lastIndex = 0;
  /** What the values would take without a dictionary. */
  #plainBytes = 0;

  /** @param options.dictionary whether values that repeat may be kept once */
  constructor(options: { readonly dictionary: boolean }) {
    this.#mayRepeat = options.dictionary;
    this.clear();
  }

  /** Keeps a cell and returns about how many bytes it holds on to. */
  push(cell: CellValue): number {
    if (cell === null) {
      this.#levels.push(0);
      return BYTES_A_CELL;
    }
    this.#levels.push(1);
    const before = this.#values.end;
    if (this.#indexes) this.#pushIndexed(cell, this.#indexes);
    else this.#append(cell);
    return BYTES_A_CELL + this.#values.end - before;
  }

  content(): ColumnContent {
    if (this.#indexes && !this.#isWorthwhile(this.#indexes)) this.#giveUpDictionary(this.#indexes);
    return {
      levels: this.#levels,
      values: this.#values,
      starts: this.#starts,
      indexes: this.#indexes,
    };
  }

  clear(): void {
    this.#values.clear();
    this.#levels = [];
    this.#starts = [];
    this.#indexes = this.#mayRepeat ? [] : undefined;
    this.#known = new Map();
    this.#last = null;
    this.#plainBytes = 0;
  }

  #pushIndexed(cell: NonNullable<CellValue>, indexes: number[]): void {
    const index = cell === this.#last ? this.#lastIndex : this.#indexOf(cell);
    indexes.push(index);
    this.#plainBytes += this.#endOf(index) - (this.#starts[index] ?? 0);
    const isSampled = indexes.length === SAMPLE_VALUES;
    if (isSampled && this.#values.end > this.#plainBytes * SAMPLE_SHARE) {
      this.#giveUpDictionary(indexes);
    }
  }

  #indexOf(cell: NonNullable<CellValue>): number {
    const isLong = typeof cell === 'string' && cell.length > LONGEST_REPEATED;
    const known = isLong ? undefined : this.#known.get(cell);
    if (known !== undefined) {
      this.#last = cell;
      this.#lastIndex = known;
      return known;
    }
    const index = this.#starts.length;
    const start = this.#values.end;
    this.#append(cell);
    if (!isLong) {
      // a copy of its own, since a slice would hold the page that it was cut from
      const own = typeof cell === 'string' ? this.#values.textAt(start, this.#values.end) : cell;
      this.#known.set(own, index);
      this.#last = own;
      this.#lastIndex = index;
    }
    return index;
  }

  #append(cell: NonNullable<CellValue>): void {
    this.#starts.push(this.#values.end);
    this.#values.append(cell);
  }

  /** A dictionary and the places in it must at least halve what the values take. */
  #isWorthwhile(indexes: readonly number[]): boolean {
    const bits = Math.ceil(Math.log2(this.#starts.length));
    return 2 * (this.#values.end + (indexes.length * bits) / 8) <= this.#plainBytes;
  }

  #giveUpDictionary(indexes: readonly number[]): void {
    this.#indexes = undefined;
    this.#known = new Map();
    if (indexes.length === this.#starts.length) return; // nothing was kept only once
    const [values, starts] = [new PlainValues(), [] as number[]];
    for (const index of indexes) {
      starts.push(values.end);
      values.copy(this.#values, this.#starts[index] ?? 0, this.#endOf(index));
    }
    this.#values = values;
    this.#starts = starts;
  }

  #endOf(index: number): number {
    return this.#starts[index + 1] ?? this.#values.end;
  }
}

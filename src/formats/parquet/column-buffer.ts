/**
 * The cells of one column that wait for their row group, encoded as they come: a third of an export's
 * time went into keeping them as values and going through these again for dictionary, pages and bounds.
 */
import type { CellValue } from '../../model/table-schema.js';
import { PlainValues } from './plain-values.js';
import { Uint32List } from './uint32-list.js';

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
  readonly levels: Uint32Array;
  /** In the order of the rows; the distinct ones where there is a dictionary. */
  readonly values: PlainValues;
  /** Where each of `values` starts. */
  readonly starts: Uint32Array;
  /** For each value its place in the dictionary; undefined where there is none. */
  readonly indexes: Uint32Array | undefined;
}

export class ColumnBuffer {
  readonly #mayRepeat: boolean;
  #values = new PlainValues();
  readonly #levels = new Uint32List();
  #starts = new Uint32List();
  readonly #indexes = new Uint32List();
  #hasDictionary: boolean;
  #known = new Map<CellValue, number>();
  /** The last two distinct cells, which are most of what comes: types of blocks alternate, keys stay. */
  #last: CellValue = null;
  #lastIndex = 0;
  #before: CellValue = null;
  #beforeIndex = 0;
  /** What the values would take without a dictionary. */
  #plainBytes = 0;

  /** @param options.dictionary whether values that repeat may be kept once */
  constructor(options: { readonly dictionary: boolean }) {
    this.#mayRepeat = options.dictionary;
    this.#hasDictionary = options.dictionary;
  }

  /** Keeps a cell and returns about how many bytes it holds on to. */
  push(cell: CellValue): number {
    if (cell === null) {
      this.#levels.push(0);
      return BYTES_A_CELL;
    }
    this.#levels.push(1);
    const before = this.#values.end;
    if (this.#hasDictionary) this.#pushIndexed(cell);
    else this.#append(cell);
    return BYTES_A_CELL + this.#values.end - before;
  }

  content(): ColumnContent {
    if (this.#hasDictionary && !this.#isWorthwhile()) this.#giveUpDictionary();
    return {
      levels: this.#levels.view(),
      values: this.#values,
      starts: this.#starts.view(),
      indexes: this.#hasDictionary ? this.#indexes.view() : undefined,
    };
  }

  clear(): void {
    this.#values.clear();
    this.#levels.clear();
    this.#starts.clear();
    this.#indexes.clear();
    this.#hasDictionary = this.#mayRepeat;
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
    if (isSampled && this.#values.end > this.#plainBytes * SAMPLE_SHARE) this.#giveUpDictionary();
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
      // a copy of its own, since a slice would hold the page that it was cut from
      const own = typeof cell === 'string' ? this.#values.textAt(start, this.#values.end) : cell;
      this.#known.set(own, index);
      this.#remember(own, index);
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

  /** A dictionary and the places in it must at least halve what the values take. */
  #isWorthwhile(): boolean {
    const bits = Math.ceil(Math.log2(this.#starts.length));
    return 2 * (this.#values.end + (this.#indexes.length * bits) / 8) <= this.#plainBytes;
  }

  #giveUpDictionary(): void {
    this.#hasDictionary = false;
    this.#known = new Map();
    if (this.#indexes.length === this.#starts.length) return; // nothing was kept only once
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

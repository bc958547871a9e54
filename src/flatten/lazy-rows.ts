/** Rows in order, as often as they are read: an array, or rows that are made while they are read. */
export interface Rows<R> extends Iterable<R> {
  readonly length: number;
}

/** Makes each row when it is read, and keeps none. */
export class LazyRows<T, R> implements Rows<R> {
  /** @param rowOf gives the same row each time */
  constructor(
    readonly length: number,
    readonly items: () => Iterable<T>,
    readonly rowOf: (item: T) => R,
  ) {}

  *[Symbol.iterator](): Generator<R> {
    for (const item of this.items()) yield this.rowOf(item);
  }
}

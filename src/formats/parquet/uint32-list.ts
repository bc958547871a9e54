/** A list of whole numbers that grows, in memory outside of V8's heap that is used again after `clear`. */

const FIRST_LENGTH = 256;

export class Uint32List {
  #values = new Uint32Array(FIRST_LENGTH);
  #length = 0;

  get length(): number {
    return this.#length;
  }

  push(value: number): void {
    if (this.#length === this.#values.length) {
      const larger = new Uint32Array(this.#length * 2);
      larger.set(this.#values);
      this.#values = larger;
    }
    this.#values[this.#length++] = value;
  }

  /** Undefined behind the end. */
  at(index: number): number | undefined {
    return index < this.#length ? this.#values[index] : undefined;
  }

  /** Good until more is pushed. */
  view(): Uint32Array {
    return this.#values.subarray(0, this.#length);
  }

  /** The memory is let go of where the next need hardly be as large. */
  clear(): void {
    if (this.#length * 4 < this.#values.length) this.#values = new Uint32Array(FIRST_LENGTH);
    this.#length = 0;
  }
}

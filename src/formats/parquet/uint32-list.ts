/** A growing list of 32-bit integers outside of V8's heap. `clear` keeps its memory for reuse. */

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

  /** Undefined beyond the end. */
  at(index: number): number | undefined {
    return index < this.#length ? this.#values[index] : undefined;
  }

  /** Valid until the next push. */
  view(): Uint32Array {
    return this.#values.subarray(0, this.#length);
  }

  /** Keeps the memory, unless less than a quarter of it was used. */
  clear(): void {
    if (this.#length * 4 < this.#values.length) this.#values = new Uint32Array(FIRST_LENGTH);
    this.#length = 0;
  }
}

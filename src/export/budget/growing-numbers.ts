/** A list of numbers that takes eight bytes each, however long it grows. */
export class GrowingNumbers {
  #numbers = new Float64Array(1024);
  #length = 0;

  get length(): number {
    return this.#length;
  }

  push(number: number): void {
    if (this.#length === this.#numbers.length) {
      const larger = new Float64Array(this.#length * 2);
      larger.set(this.#numbers);
      this.#numbers = larger;
    }
    this.#numbers[this.#length++] = number;
  }

  at(index: number): number {
    return this.#numbers[index] ?? NaN;
  }

  toArray(start = 0, end = this.#length): Float64Array {
    return this.#numbers.slice(start, end);
  }
}

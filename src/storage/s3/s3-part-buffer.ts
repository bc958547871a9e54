/** Collects bytes into parts that S3 accepts: at least 5 MiB each, at most 10,000 of them. */

const MIB = 1024 * 1024;
const LEAST_BYTES = 8 * MIB;
const MAX_PARTS = 10_000;
/** Reserve for an estimate that was too low. */
const PLANNED_PARTS = MAX_PARTS / 2;
const PARTS_OF_A_SIZE = 1000;
/** Where nobody knows how much will come. */
const FIRST_ALLOCATION = 64 * 1024;

/** The size of parts, in whole mebibytes. */
export function partBytesFor(expectedBytes: number): number {
  return Math.max(LEAST_BYTES, Math.ceil(expectedBytes / PLANNED_PARTS / MIB) * MIB);
}

export class PartBuffer {
  #size: number;
  #store = Buffer.alloc(0);
  #filled = 0;
  #parts = 0;
  readonly #firstAllocation: number;

  constructor(expectedBytes: number) {
    this.#size = partBytesFor(expectedBytes);
    this.#firstAllocation = expectedBytes > 0 ? expectedBytes : FIRST_ALLOCATION;
  }

  get bytes(): number {
    return this.#filled;
  }

  get isFull(): boolean {
    return this.#filled === this.#size;
  }

  /** Copies as much as fits, and returns the rest. */
  take(chunk: Uint8Array): Uint8Array {
    const taken = Math.min(chunk.byteLength, this.#size - this.#filled);
    this.#reserve(this.#filled + taken);
    this.#store.set(chunk.subarray(0, taken), this.#filled);
    this.#filled += taken;
    return chunk.subarray(taken);
  }

  /** Returns the collected bytes and empties the buffer. */
  empty(): Uint8Array {
    const part = this.#store.subarray(0, this.#filled);
    this.#store = Buffer.alloc(0);
    this.#filled = 0;
    this.#parts++;
    // equal parts as long as possible, since some stores require that; then larger ones
    const beyond = this.#parts - PLANNED_PARTS;
    if (beyond >= 0 && beyond % PARTS_OF_A_SIZE === 0) this.#size *= 2;
    return part;
  }

  #reserve(bytes: number): void {
    if (bytes <= this.#store.byteLength) return;
    const doubled = Math.max(this.#firstAllocation, bytes, this.#store.byteLength * 2);
    const larger = Buffer.allocUnsafe(Math.min(this.#size, doubled));
    larger.set(this.#store.subarray(0, this.#filled));
    this.#store = larger;
  }
}

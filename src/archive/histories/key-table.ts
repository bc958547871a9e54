/** A set of keys, each with a number: 12 bytes a slot, in three arrays, and never more slots than allowed. */
import { hash } from 'node:crypto';

/** Slots of the largest table: 100 MB, and half as much again while it grows to that. */
const MOST_SLOTS = 2 ** 23;
const FIRST_SLOTS = 2 ** 10;
/** The share of its slots that is filled at most, as a table with open addressing needs some that are free. */
const FILLED = 0.75;

export class KeyTable {
  #high: Uint32Array;
  #low: Uint32Array;
  /** 0: the slot is free. */
  #values: Uint32Array;
  #size = 0;

  /** @param mostSlots a power of two */
  constructor(readonly mostSlots: number = MOST_SLOTS) {
    const slots = Math.min(FIRST_SLOTS, mostSlots);
    this.#high = new Uint32Array(slots);
    this.#low = new Uint32Array(slots);
    this.#values = new Uint32Array(slots);
  }

  /** Whether no further key is taken in. */
  get isFull(): boolean {
    return this.#size >= this.mostSlots * FILLED;
  }

  /** The number of the key; undefined if it is not there. Keys are told apart by 64 bits of their SHA-256. */
  get(key: string): number | undefined {
    const value = this.#values[this.#slotOf(digestOf(key))] ?? 0;
    return value === 0 ? undefined : value - 1;
  }

  /** Sets the number of a key. False: the key is not there, and the table is full. */
  set(key: string, value: number): boolean {
    const digest = digestOf(key);
    const slot = this.#slotOf(digest);
    if (this.#values[slot] === 0) return this.#add(digest, slot, value);
    this.#put(slot, digest, value + 1);
    return true;
  }

  /**
   * Sets the number of a key that has none.
   *
   * @returns the key's number; undefined: it has none, and the table is full
   */
  getOrSet(key: string, value: number): number | undefined {
    const digest = digestOf(key);
    const slot = this.#slotOf(digest);
    const known = this.#values[slot] ?? 0;
    if (known !== 0) return known - 1;
    return this.#add(digest, slot, value) ? value : undefined;
  }

  /** @param free the slot that it gets, unless there must be more first */
  #add(digest: Digest, free: number, value: number): boolean {
    if (this.isFull) return false;
    const isRoom = this.#size < this.#values.length * FILLED;
    if (!isRoom) this.#grow();
    this.#size++;
    this.#put(isRoom ? free : this.#slotOf(digest), digest, value + 1);
    return true;
  }

  #slotOf({ high, low }: Digest): number {
    const mask = this.#values.length - 1;
    let slot = (high ^ low) & mask;
    while (this.#values[slot] !== 0 && (this.#high[slot] !== high || this.#low[slot] !== low)) {
      slot = (slot + 1) & mask;
    }
    return slot;
  }

  #put(slot: number, { high, low }: Digest, value: number): void {
    this.#high[slot] = high;
    this.#low[slot] = low;
    this.#values[slot] = value;
  }

  #grow(): void {
    const [highs, lows, values] = [this.#high, this.#low, this.#values];
    const slots = values.length * 2;
    this.#high = new Uint32Array(slots);
    this.#low = new Uint32Array(slots);
    this.#values = new Uint32Array(slots);
    for (const [at, value] of values.entries()) {
      if (value === 0) continue;
      const digest = { high: highs[at] ?? 0, low: lows[at] ?? 0 };
      this.#put(this.#slotOf(digest), digest, value);
    }
  }
}

interface Digest {
  readonly high: number;
  readonly low: number;
}

function digestOf(key: string): Digest {
  // as a text it takes a quarter of the time of a buffer
  const digest = hash('sha256', key, 'binary');
  return { high: wordAt(digest, 0), low: wordAt(digest, 4) };
}

/** The 32 bits at a place of bytes, the lowest ones first. */
function wordAt(bytes: string, at: number): number {
  const low = bytes.charCodeAt(at) | (bytes.charCodeAt(at + 1) << 8);
  return (low | (bytes.charCodeAt(at + 2) << 16) | (bytes.charCodeAt(at + 3) << 24)) >>> 0;
}

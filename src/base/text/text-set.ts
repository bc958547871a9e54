/** A set of texts in the order in which they came, outside of V8's heap: a million user ids take 50 MB, in a `Set` 130. */

/** Texts of a block; each has its own buffer, so that growing copies little. */
const BLOCK_TEXTS = 4096;
const FIRST_BYTES = 64 * 1024;
const FIRST_SLOTS = 1024;

interface Block {
  /** The texts in UTF-8, one right after the other. */
  bytes: Buffer;
  /** Where each ends. */
  readonly ends: Uint32Array;
}

export class TextSet implements Iterable<string> {
  readonly #blocks: Block[] = [];
  #count = 0;
  /** Numbers of texts, from 1, by their hashes; 0: free. At most half of the slots are taken. */
  #slots = new Uint32Array(FIRST_SLOTS);
  /** Texts that are not UTF-8: with half of a surrogate pair. They come last. */
  readonly #illFormed = new Set<string>();
  /** The text that is looked for. */
  #sought = Buffer.allocUnsafe(1024);

  static of(texts: Iterable<string>): TextSet {
    const set = new TextSet();
    for (const text of texts) set.add(text);
    return set;
  }

  get size(): number {
    return this.#count + this.#illFormed.size;
  }

  has(text: string): boolean {
    if (!text.isWellFormed()) return this.#illFormed.has(text);
    return this.#slots[this.#slotOf(this.#encode(text))] !== 0;
  }

  /** A text that is there keeps its place. @returns which it is, from 0; undefined of one that comes last */
  add(text: string): number | undefined {
    if (!text.isWellFormed()) {
      this.#illFormed.add(text);
      return undefined;
    }
    const length = this.#encode(text);
    const slot = this.#slotOf(length);
    const known = this.#slots[slot] ?? 0;
    if (known !== 0) return known - 1;
    this.#append(length);
    this.#slots[slot] = this.#count;
    if (2 * this.#count > this.#slots.length) this.#grow();
    return this.#count - 1;
  }

  *[Symbol.iterator](): Generator<string> {
    for (let number = 0; number < this.#count; number++) {
      const { bytes, start, end } = this.#placeOf(number);
      yield bytes.toString('utf8', start, end);
    }
    yield* this.#illFormed;
  }

  /** Into `#sought`. @returns its bytes */
  #encode(text: string): number {
    const most = 3 * text.length;
    if (most > this.#sought.length) this.#sought = Buffer.allocUnsafe(most);
    return this.#sought.write(text);
  }

  /** The slot that has the text in `#sought`, or that it would get. */
  #slotOf(length: number): number {
    const mask = this.#slots.length - 1;
    let slot = hashOf(this.#sought, 0, length) & mask;
    for (;;) {
      const number = this.#slots[slot] ?? 0;
      if (number === 0) return slot;
      const { bytes, start, end } = this.#placeOf(number - 1);
      const isSame =
        end - start === length && bytes.compare(this.#sought, 0, length, start, end) === 0;
      if (isSame) return slot;
      slot = (slot + 1) & mask;
    }
  }

  #placeOf(number: number): {
    readonly bytes: Buffer;
    readonly start: number;
    readonly end: number;
  } {
    const block = this.#blocks[Math.floor(number / BLOCK_TEXTS)];
    if (!block) throw new RangeError(`there is no text ${number}`);
    const at = number % BLOCK_TEXTS;
    const start = at === 0 ? 0 : (block.ends[at - 1] ?? 0);
    return { bytes: block.bytes, start, end: block.ends[at] ?? 0 };
  }

  /** What is in `#sought`. */
  #append(length: number): void {
    const at = this.#count % BLOCK_TEXTS;
    if (at === 0) {
      this.#blocks.push({
        bytes: Buffer.allocUnsafeSlow(FIRST_BYTES),
        ends: new Uint32Array(BLOCK_TEXTS),
      });
    }
    const block = this.#blocks.at(-1);
    if (!block) return;
    const start = at === 0 ? 0 : (block.ends[at - 1] ?? 0);
    const end = start + length;
    if (end > block.bytes.length) {
      const larger = Buffer.allocUnsafeSlow(Math.max(end, 2 * block.bytes.length));
      block.bytes.copy(larger, 0, 0, start);
      block.bytes = larger;
    }
    this.#sought.copy(block.bytes, start, 0, length);
    block.ends[at] = end;
    this.#count++;
    if (at === BLOCK_TEXTS - 1) {
      const exact = Buffer.allocUnsafeSlow(end);
      block.bytes.copy(exact, 0, 0, end);
      block.bytes = exact;
    }
  }

  #grow(): void {
    const slots = new Uint32Array(2 * this.#slots.length);
    for (let number = 0; number < this.#count; number++) {
      const { bytes, start, end } = this.#placeOf(number);
      let slot = hashOf(bytes, start, end) & (slots.length - 1);
      while (slots[slot] !== 0) slot = (slot + 1) & (slots.length - 1);
      slots[slot] = number + 1;
    }
    this.#slots = slots;
  }
}

/** FNV-1a, with its upper half mixed into the lower one, which tells the slot. */
function hashOf(bytes: Uint8Array, start: number, end: number): number {
  let hash = 0x811c9dc5;
  for (let at = start; at < end; at++) hash = Math.imul(hash ^ (bytes[at] ?? 0), 0x01000193);
  return (hash ^ (hash >>> 15)) >>> 0;
}

/** Text that grows in a staged object: many may write at a time, each piece stays whole. */
import { encodedPieces } from '../base/text/short-texts.js';
import type { ContentDigest, StagedObject } from './storage.js';

const BLOCK_BYTES = 64 * 1024;

export class StagedText {
  #waiting: string[] = [];
  #waitingBytes = 0;
  #flushing: Promise<void> = Promise.resolve();
  #length = 0;
  readonly #staged: StagedObject;

  constructor(staged: StagedObject) {
    this.#staged = staged;
  }

  /** Where the next piece will begin, in bytes. */
  get bytes(): number {
    return this.#length;
  }

  /** @param texts written one right after the other: joining a text of 64 MB with a line end would copy it */
  async write(...texts: string[]): Promise<void> {
    for (const text of texts) {
      const bytes = Buffer.byteLength(text);
      this.#waiting.push(text);
      this.#waitingBytes += bytes;
      this.#length += bytes;
    }
    if (this.#waitingBytes >= BLOCK_BYTES) await this.#flush();
  }

  async close(): Promise<ContentDigest> {
    await this.#flush();
    return this.#staged.close();
  }

  #flush(): Promise<void> {
    if (this.#waiting.length === 0) return this.#flushing;
    const texts = this.#waiting;
    const isSmall = this.#waitingBytes <= 2 * BLOCK_BYTES;
    this.#waiting = [];
    this.#waitingBytes = 0;
    // a staged object takes one write at a time
    this.#flushing = this.#flushing.then(async () => {
      const pieces = isSmall
        ? [Buffer.concat(texts.map((text) => Buffer.from(text)))]
        : encoded(texts);
      for (const piece of pieces) await this.#staged.write(piece);
    });
    return this.#flushing;
  }
}

function* encoded(texts: readonly string[]): Generator<Uint8Array> {
  for (const text of texts) yield* encodedPieces(text);
}

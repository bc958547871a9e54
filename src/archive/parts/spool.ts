/** Groups lines by bucket on disk, so that memory has to hold one bucket only. */
import type { StagedObject, Storage } from '../../storage/storage.js';

const BLOCK_CHARACTERS = 64 * 1024;
const NEWLINE = 0x0a;

export class Spool {
  readonly #waiting: string[];
  readonly #buckets: readonly StagedObject[];

  private constructor(buckets: readonly StagedObject[]) {
    this.#buckets = buckets;

    this.#waiting = buckets.map(() => '');
  }

  static async open(storage: Storage, buckets: number): Promise<Spool> {
    const staged: StagedObject[] = [];
    try {
      for (let index = 0; index < buckets; index++) staged.push(await storage.stage());
    } catch (error) {
      await Promise.all(staged.map((one) => one.discard()));
      throw error;
    }
    return new Spool(staged);
  }

  get size(): number {
    return this.#buckets.length;
  }

  /** @param line without a line end in it */
  async add(bucket: number, line: string): Promise<void> {
    const text = `${this.#waiting[bucket] ?? ''}${line}\n`;
    this.#waiting[bucket] = text;
    if (text.length >= BLOCK_CHARACTERS) await this.#flush(bucket);
  }

  /** Ends writing; from now on the lines can be read. */
  async close(): Promise<void> {
    for (const [index, staged] of this.#buckets.entries()) {
      await this.#flush(index);
      await staged.close();
    }
  }

  async *lines(bucket: number): AsyncGenerator<string> {
    const staged = this.#buckets[bucket];
    if (!staged) return;
    let pieces: Uint8Array[] = [];
    for await (const chunk of staged.read()) {
      let start = 0;
      // looked for in each chunk once: a line may be as long as a record
      for (let end = chunk.indexOf(NEWLINE); end >= 0; end = chunk.indexOf(NEWLINE, start)) {
        pieces.push(chunk.subarray(start, end));
        const line = textOf(pieces);
        pieces = [];
        start = end + 1;
        yield line;
      }
      if (start < chunk.byteLength) pieces.push(chunk.subarray(start));
    }
  }

  async discard(): Promise<void> {
    await Promise.all(this.#buckets.map((staged) => staged.discard()));
  }

  async #flush(bucket: number): Promise<void> {
    const text = this.#waiting[bucket] ?? '';
    this.#waiting[bucket] = '';
    // a lone surrogate cannot be written; rows have none
    if (text !== '') await this.#buckets[bucket]?.write(Buffer.from(text));
  }
}

function textOf(pieces: readonly Uint8Array[]): string {
  const [only] = pieces;
  const bytes = only && pieces.length === 1 ? only : Buffer.concat(pieces);
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString();
}

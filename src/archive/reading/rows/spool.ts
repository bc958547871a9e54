/** Groups lines by bucket on disk, so that memory has to hold one bucket only. */
import { StagedText } from '../../../storage/staged-text.js';
import type { StagedObject, Storage } from '../../../storage/storage.js';

const NEWLINE = 0x0a;

interface Bucket {
  readonly staged: StagedObject;
  readonly text: StagedText;
}

export class Spool {
  readonly #buckets: readonly Bucket[];

  private constructor(buckets: readonly Bucket[]) {
    this.#buckets = buckets;
  }

  static async open(storage: Storage, buckets: number): Promise<Spool> {
    const spool: Bucket[] = [];
    try {
      for (let index = 0; index < buckets; index++) {
        const staged = await storage.stage();
        spool.push({ staged, text: new StagedText(staged) });
      }
    } catch (error) {
      await Promise.all(spool.map(({ staged }) => staged.discard()));
      throw error;
    }
    return new Spool(spool);
  }

  get size(): number {
    return this.#buckets.length;
  }

  /** Many may add at a time. @param line without a line end in it; a lone surrogate becomes U+FFFD: rows have none */
  async add(bucket: number, line: string): Promise<void> {
    await this.#buckets[bucket]?.text.write(line, '\n');
  }

  /** Ends writing; from now on the lines can be read. */
  async close(): Promise<void> {
    for (const { text } of this.#buckets) await text.close();
  }

  async *lines(bucket: number): AsyncGenerator<string> {
    const staged = this.#buckets[bucket]?.staged;
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
    await Promise.all(this.#buckets.map(({ staged }) => staged.discard()));
  }
}

function textOf(pieces: readonly Uint8Array[]): string {
  const [only] = pieces;
  const bytes = only && pieces.length === 1 ? only : Buffer.concat(pieces);
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString();
}

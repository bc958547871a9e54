/** Records set aside on disk while the archive is read, and read again one by one, in any order. */
import { parseJson } from '../base/text/parse-json.js';
import type { StagedObject, Storage } from '../storage/storage.js';
import { StagedText } from '../storage/write-atomically.js';

/** Where one fact lies; all that stays in memory of it. Bytes, `end` exclusive. */
export interface Piece {
  readonly start: number;
  readonly end: number;
}

export class Scratch<Fact> {
  readonly #staged: StagedObject;
  readonly #text: StagedText;

  private constructor(staged: StagedObject, text: StagedText) {
    this.#staged = staged;
    this.#text = text;
  }

  static async open<Fact>(storage: Storage): Promise<Scratch<Fact>> {
    const staged = await storage.stage();
    return new Scratch<Fact>(staged, new StagedText(staged));
  }

  /** @param fact plain JSON */
  async add(fact: Fact): Promise<Piece> {
    const start = this.#text.bytes;
    const writing = this.#text.write(JSON.stringify(fact));
    const end = this.#text.bytes;
    await writing;
    return { start, end };
  }

  /** Nothing more will be added; from now on it can be read. */
  async close(): Promise<void> {
    await this.#text.close();
  }

  async read(piece: Piece): Promise<Fact> {
    const chunks: Uint8Array[] = [];
    for await (const chunk of this.#staged.read(piece)) chunks.push(chunk);
    return parseJson(Buffer.concat(chunks).toString()) as Fact;
  }

  async discard(): Promise<void> {
    await this.#staged.discard();
  }
}

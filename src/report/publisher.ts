/** Writes the report's files, several at a time: most of it is waiting for the disk to say that they are safe. */
import { Background } from '../base/concurrently.js';
import { beginningOf } from '../base/text/short-texts.js';
import type { Storage } from '../storage/storage.js';

const WRITERS = 16;
/** Of a long text, written at a time. */
const PIECE_CHARACTERS = 256 * 1024;

export class Publisher {
  files = 0;
  bytes = 0;
  readonly #background = new Background(WRITERS);
  readonly #target: Storage;

  constructor(target: Storage) {
    this.#target = target;
  }

  /** Resolves when more may be written. @throws what an earlier write has thrown */
  async data(key: string, data: unknown): Promise<void> {
    await this.put(`data/${key}.js`, dataScript(key, data));
  }

  async put(path: string, text: string): Promise<void> {
    const bytes = Buffer.from(text);
    await this.#run(() => this.#target.put(path, bytes), bytes.byteLength);
  }

  /** A copy of an object of another storage. */
  async copy(path: string, bytes: number, from: AsyncIterable<Uint8Array>): Promise<void> {
    await this.#run(async () => {
      const staged = await this.#target.stage({ expectedBytes: bytes });
      try {
        for await (const chunk of from) await staged.write(chunk);
        await staged.close();
        await staged.publish(path);
      } catch (error) {
        await staged.discard();
        throw error;
      }
    }, bytes);
  }

  /** A long text, piece by piece: resolves when it is written. @returns its bytes, without the mark */
  async text(path: string, mark: string, text: string): Promise<number> {
    const staged = await this.#target.stage();
    let bytes = 0;
    try {
      if (mark !== '') await staged.write(Buffer.from(mark));
      for (let start = 0; start < text.length;) {
        const piece = beginningOf(
          text.slice(start, start + PIECE_CHARACTERS + 1),
          PIECE_CHARACTERS,
        );
        start += piece.length;
        const encoded = Buffer.from(piece);
        bytes += encoded.byteLength;
        await staged.write(encoded);
      }
      await staged.close();
      await staged.publish(path);
    } catch (error) {
      await staged.discard();
      throw error;
    }
    this.files++;
    this.bytes += bytes + Buffer.byteLength(mark);
    return bytes;
  }

  /** Nothing is being written any more, whatever has come of it. */
  async settle(): Promise<void> {
    await this.#background.settle();
  }

  /** Everything is written. @throws what a write has thrown */
  async finish(): Promise<void> {
    await this.#background.finish();
  }

  async #run(write: () => Promise<void>, bytes: number): Promise<void> {
    await this.#background.begin(write);
    this.files++;
    this.bytes += bytes;
  }
}

/** Data as a classic script: a page opened from disk may not fetch, but it may load scripts from beside it. */

const ESCAPES: Readonly<Record<string, string>> = {
  '<': '\\u003c',
  '>': '\\u003e',
  '\u2028': '\\u2028',
  '\u2029': '\\u2029',
};

/** Nothing in it can end a script, wherever it is put; keys of objects must not come from data. */
export function dataScript(key: string, data: unknown): string {
  return `jobvaultData(${scriptJson(key)},${scriptJson(data)});\n`;
}

function scriptJson(value: unknown): string {
  return JSON.stringify(value).replace(/[<>\u2028\u2029]/g, (one) => ESCAPES[one] ?? '');
}

/** What tells a report from any other directory. */
export const REPORT_MARK = 'data/jobvault-report.json';

/** What an earlier report has at its top: one that has nothing else may be replaced. */
export const REPORT_ENTRIES = ['index.html', 'data'] as const;

/**
 * The beginnings of tables, until the rows that have them are written. They are at hand when a table is downloaded;
 * memory holds a bounded number of characters of them, and what was let go of is read back from the file.
 */
import type { FileFacts, StoredFacts } from '../../flatten/file-facts.js';
import { type ByteRange } from '../../storage/storage.js';
import { textOfTable } from '../../artifacts/content/table-text.js';
import { MAX_TABLE_TEXT_BYTES } from '../../model/tables.js';

/** Several hundred tables of which the text is as long as it may be. */
const MOST_CHARACTERS = 8e6;

/** By SHA-256 of the table. */
export type TextsOfTables = ReadonlyMap<string, string>;

export class TableTexts {
  /** The one that was used last comes last. */
  readonly #texts = new Map<string, string>();
  #characters = 0;

  constructor(readonly mostCharacters = MOST_CHARACTERS) {}

  keep(sha256: string, text: string): void {
    this.#drop(sha256);
    this.#texts.set(sha256, text);
    this.#characters += text.length;
    for (const oldest of this.#texts.keys()) {
      if (this.#characters <= this.mostCharacters || oldest === sha256) return;
      this.#drop(oldest);
    }
  }

  /** Undefined if one of them was let go of. */
  textsOf(files: Iterable<FileFacts>): TextsOfTables | undefined {
    const texts = new Map<string, string>();
    for (const { stored } of files) {
      if (!stored?.hasTableText) continue;
      const text = this.#texts.get(stored.sha256);
      if (text === undefined) return undefined;
      texts.set(stored.sha256, text);
    }
    return texts;
  }

  /** @param read the bytes of a file */
  async readBack(
    files: Iterable<FileFacts>,
    read: (stored: StoredFacts, range: ByteRange) => AsyncIterable<Uint8Array>,
  ): Promise<TextsOfTables> {
    const texts = new Map<string, string>();
    for (const { stored } of files) {
      if (!stored?.hasTableText || texts.has(stored.sha256)) continue;
      const { sha256 } = stored;
      const known = this.#texts.get(sha256);
      texts.set(sha256, known ?? (await textIn(stored, (range) => read(stored, range))));
    }
    return texts;
  }

  #drop(sha256: string): void {
    this.#characters -= this.#texts.get(sha256)?.length ?? 0;
    this.#texts.delete(sha256);
  }
}

async function textIn(
  { bytes, ...format }: StoredFacts,
  read: (range: ByteRange) => AsyncIterable<Uint8Array>,
): Promise<string> {
  const end = Math.min(bytes, MAX_TABLE_TEXT_BYTES);
  const chunks: Uint8Array[] = [];
  if (end > 0) for await (const chunk of read({ start: 0, end })) chunks.push(chunk);
  return textOfTable(Buffer.concat(chunks), end === bytes, format) ?? '';
}

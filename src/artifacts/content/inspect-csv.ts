/** Counts a CSV's rows and columns as it streams by. Never fails, so that an odd table is still archived. */
import { TextDecoder } from 'node:util';
import { CsvScanner, type CsvShape } from './csv-scanner.js';
import { textEncodingOf } from './text-encoding.js';

const BYTES_TO_TELL_ENCODING = 4;

export class CsvInspector {
  readonly #scanner = new CsvScanner();
  #isBinary = false;
  #firstBytes: Uint8Array | undefined = new Uint8Array();
  #utf16: TextDecoder | undefined;

  write(chunk: Uint8Array): void {
    if (this.#firstBytes === undefined) {
      this.#scan(chunk);
      return;
    }
    this.#firstBytes = Buffer.concat([this.#firstBytes, chunk]);
    if (this.#firstBytes.length >= BYTES_TO_TELL_ENCODING) this.#scanFirst(this.#firstBytes);
  }

  /** Ends the input. Null if the bytes cannot be read as CSV. */
  end(): CsvShape | null {
    if (this.#firstBytes !== undefined) this.#scanFirst(this.#firstBytes);
    return this.#isBinary ? null : this.#scanner.end();
  }

  /** Detects the encoding by the first bytes, which may arrive one by one. */
  #scanFirst(bytes: Uint8Array): void {
    this.#firstBytes = undefined;
    const encoding = textEncodingOf(bytes);
    if (encoding === null) this.#isBinary = true;
    else if (encoding !== 'utf-8') this.#utf16 = new TextDecoder(encoding);
    this.#scan(bytes);
  }

  #scan(chunk: Uint8Array): void {
    if (this.#isBinary) return;
    this.#scanner.write(
      this.#utf16 ? Buffer.from(this.#utf16.decode(chunk, { stream: true })) : chunk,
    );
  }
}

/** The digests of a report's files: a report of 100,000 users has 300,000, which take 120 MB as texts in a map. */
import { TextSet } from '../base/text/text-set.js';

const SHA256_BYTES = 32;
const FIRST_ROOM = 1024;

export class FileDigests {
  readonly #paths = new TextSet();
  /** By number of the path; zeros of a file that has left. */
  #digests = Buffer.alloc(FIRST_ROOM * SHA256_BYTES);

  /** @param sha256 hexadecimal */
  set(path: string, sha256: string): void {
    const from = (this.#paths.add(path) ?? 0) * SHA256_BYTES;
    if (from === this.#digests.length) {
      this.#digests = Buffer.concat([this.#digests, Buffer.alloc(from)]);
    }
    this.#digests.write(sha256, from, 'hex');
  }

  delete(path: string): void {
    this.set(path, LEFT);
  }

  /** As `sha256sum` lists them, ordered by path. */
  *lines(): Generator<string> {
    const paths = [...this.#paths];
    const order = paths.map((_path, number) => number);
    order.sort((a, b) => ((paths[a] ?? '') < (paths[b] ?? '') ? -1 : 1));
    for (const number of order) {
      const from = number * SHA256_BYTES;
      const sha256 = this.#digests.toString('hex', from, from + SHA256_BYTES);
      if (sha256 !== LEFT) yield `${sha256}  ${paths[number] ?? ''}`;
    }
  }
}

const LEFT = '0'.repeat(2 * SHA256_BYTES);

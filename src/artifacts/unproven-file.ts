/** Keeps a file whose end nothing proves until a second download has, or has not, the same bytes. */
import type { FileOutcome, StoredFile } from './artifact-fetcher.js';

/** The first words of `suspicious`: the archive may have less than there is. */
const UNPROVEN_END = 'unproven end';

export class UnprovenFile implements AsyncDisposable {
  #first: StoredFile | undefined;

  /**
   * Takes over the file. The outcome after the second download; undefined after the first, and the file must
   * be downloaded once more.
   */
  async compare(file: StoredFile, host: string): Promise<FileOutcome | undefined> {
    const first = this.#first;
    if (first === undefined) {
      this.#first = file;
      return undefined;
    }
    if (first.sha256 === file.sha256) {
      const doubts = [file.suspicious, UNPROVEN_END].filter((doubt) => doubt !== null);
      return { ...file, suspicious: doubts.join('; ') };
    }
    await file.staged.discard();
    const reason = `${host} does not say where the file ends (no length, no chunks), and two downloads differ: ${first.bytes} and ${file.bytes} bytes`;
    return { status: 'failed', reason };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#first?.staged.discard();
  }
}

/** Keeps a file whose end nothing proves until a second download has, or has not, the same bytes. */
import type { FileOutcome, StoredFile } from './artifact-fetcher.js';

/** The last words of `suspicious`: the archive may have less than there is. */
const UNPROVEN_END = 'unproven end';
const OF_THE_END = new RegExp(`(^|; )${UNPROVEN_END}$`);

/** What `suspicious` says of the bytes themselves, and not of how they were sent; null if nothing. */
export function doubtOfBytes(suspicious: string): string | null {
  return suspicious.replace(OF_THE_END, '') || null;
}

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

/** Keeps an image that is cut off until it comes again. */
export class CutOffFile implements AsyncDisposable {
  #last: StoredFile | undefined;

  /** Takes over the file, unless the one before had the same bytes: then it is the caller's. */
  async isAsBefore(file: StoredFile): Promise<boolean> {
    if (this.#last?.sha256 === file.sha256) return true;
    await this.#last?.staged.discard();
    this.#last = file;
    return false;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#last?.staged.discard();
  }
}

/** Counts the files that are not settled yet, and makes page readers wait while there are more than can be downloaded in time. */
import type { DownloadCapacity } from './download-capacity.js';

export class PendingDownloads {
  readonly #capacity: Pick<DownloadCapacity, 'files'>;
  #files = 0;
  readonly #waiting = new Set<() => void>(); // in order of arrival

  /** @param capacity asked on each check; at least 1 */
  constructor(capacity: Pick<DownloadCapacity, 'files'>) {
    this.#capacity = capacity;
  }

  enter(): void {
    this.#files++;
  }

  leave(): void {
    this.#files--;
    // one reader per settled file: each brings a whole page, so all at once would exceed the capacity
    this.#resume(this.#files === 0 ? Infinity : 1);
  }

  /**
   * Resolves when there is capacity, in order of arrival.
   *
   * @throws the signal's reason, when it is aborted
   */
  async ready(signal?: AbortSignal): Promise<void> {
    signal?.throwIfAborted();
    if (this.#files < this.#capacity.files() && this.#waiting.size === 0) return;
    await new Promise<void>((resolve, reject) => {
      const stop = () => {
        this.#waiting.delete(resume);
        signal?.removeEventListener('abort', abort);
      };
      const resume = () => {
        stop();
        resolve();
      };
      const abort = () => {
        stop();
        reject(signal?.reason as Error);
      };
      this.#waiting.add(resume);
      signal?.addEventListener('abort', abort, { once: true });
    });
  }

  #resume(limit: number): void {
    for (const resume of [...this.#waiting].slice(0, limit)) {
      if (this.#files >= this.#capacity.files()) return;
      resume();
    }
  }
}

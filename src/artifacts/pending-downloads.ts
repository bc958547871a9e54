/** Counts the files that are not settled yet, and makes callers wait while there are more than can be downloaded in time. */

export interface PendingDownloads {
  enter(): void;
  leave(): void;
  /**
   * Resolves while there is room, in the order asked.
   *
   * @throws the signal's reason, when it is aborted
   */
  ready(signal?: AbortSignal): Promise<void>;
}

/** @param capacity asked anew each time; at least 1 */
export function createPendingDownloads(capacity: () => number): PendingDownloads {
  let files = 0;
  const waiting = new Set<() => void>(); // in order of arrival

  function release(most: number): void {
    for (const resume of [...waiting].slice(0, most)) {
      if (files >= capacity()) return;
      resume();
    }
  }

  return {
    enter() {
      files++;
    },

    leave() {
      files--;
      // One reader for each settled file: each brings a whole page, and all at once would flood us.
      release(files === 0 ? Infinity : 1);
    },

    async ready(signal) {
      signal?.throwIfAborted();
      if (files < capacity() && waiting.size === 0) return;
      await new Promise<void>((resolve, reject) => {
        const stop = () => {
          waiting.delete(resume);
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
        waiting.add(resume);
        signal?.addEventListener('abort', abort, { once: true });
      });
    },
  };
}

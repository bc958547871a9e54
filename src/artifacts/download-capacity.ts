/** Estimates how many files can be queued before their URLs expire, from the duration of downloads and the lifetime of URLs. */

export interface DownloadCapacity {
  /** A download took this long, from the request to the last byte. */
  observeDownload(ms: number): void;
  /** A URL that just arrived has this long to live. */
  observeLife(ms: number): void;
  /** How many files may wait at once. */
  capacity(): number;
}

const ASSUMED_DOWNLOAD_MS = 1000;
const ASSUMED_LIFE_MS = 600_000; // ten minutes, as presigned URLs of such services usually have
const NEWEST_WEIGHT = 0.2;
const MAX_FILES = 2000; // bounds memory: a waiting file holds its job's rows back

/**
 * What can be downloaded in half of a URL's life; the other half is for the page that is about to be
 * read. Never fewer than `concurrency` files, so that no slot idles, and never more than 2000.
 */
export function createDownloadCapacity(concurrency: number): DownloadCapacity {
  let downloadMs: number | undefined;
  let lifeMs: number | undefined;

  return {
    observeDownload(ms) {
      downloadMs = smoothed(downloadMs, ms);
    },
    observeLife(ms) {
      lifeMs = smoothed(lifeMs, Math.max(0, ms));
    },
    capacity() {
      const each = Math.max(1, downloadMs ?? ASSUMED_DOWNLOAD_MS);
      const inHalfALife = Math.floor((concurrency * (lifeMs ?? ASSUMED_LIFE_MS)) / 2 / each);
      return Math.max(concurrency, Math.min(MAX_FILES, inHalfALife));
    },
  };
}

function smoothed(average: number | undefined, newest: number): number {
  return average === undefined ? newest : average + NEWEST_WEIGHT * (newest - average);
}

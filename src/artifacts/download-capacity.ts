/** Estimates how many files can be queued before their URLs expire, from the duration of downloads and the lifetime of URLs. */

const ASSUMED_DOWNLOAD_MS = 1000;
const ASSUMED_LIFE_MS = 600_000; // ten minutes, as presigned URLs of such services usually have
const NEWEST_WEIGHT = 0.2;
const MAX_FILES = 2000; // bounds memory: a waiting file keeps its job's rows in memory

export class DownloadCapacity {
  readonly #concurrency: number;
  #downloadMs: number | undefined;
  #lifeMs: number | undefined;

  constructor(concurrency: number) {
    this.#concurrency = concurrency;
  }

  /** @param ms duration of a download, from the request to the last byte */
  observeDownload(ms: number): void {
    this.#downloadMs = smoothed(this.#downloadMs, ms);
  }

  /** @param ms remaining life of a URL that has just arrived */
  observeLife(ms: number): void {
    this.#lifeMs = smoothed(this.#lifeMs, Math.max(0, ms));
  }

  /**
   * How many files may wait at once: what can be downloaded in half of a URL's life. The other half is for
   * the next page. At least `concurrency`, so that no slot is idle; at most 2000.
   */
  files(): number {
    const each = Math.max(1, this.#downloadMs ?? ASSUMED_DOWNLOAD_MS);
    const lifeMs = this.#lifeMs ?? ASSUMED_LIFE_MS;
    const inHalfALife = Math.floor((this.#concurrency * lifeMs) / 2 / each);
    return Math.max(this.#concurrency, Math.min(MAX_FILES, inHalfALife));
  }
}

function smoothed(average: number | undefined, newest: number): number {
  return average === undefined ? newest : average + NEWEST_WEIGHT * (newest - average);
}

/** Keeps the records of one session while their files are fetched, and reads them again when URLs expire. */
import { fileReferences, placeKey, type FileReference } from '../flatten/file-references.js';
import { downloadKey, fileAddress } from '../model/urls/file-url.js';
import type { JobRecord, Verbatim } from '../model/records.js';
import type { PageRange } from '../service/page-range.js';
import type { PageReader, PlacedRecord } from '../service/page-reader.js';
import { readAll } from '../service/read-all.js';

export class LiveHistory {
  /** The newest record of each job. */
  readonly #latest = new Map<string, PlacedRecord<JobRecord>>();
  /** Records whose job was missing when the whole history was read again. */
  readonly #gone = new WeakSet<PlacedRecord<JobRecord>>();
  #inFlight: Promise<void> | undefined;

  constructor(readonly reader: PageReader<JobRecord>) {}

  /** Keeps a record fresh until it is released. */
  track(item: PlacedRecord<JobRecord>): void {
    this.#latest.set(item.id, item);
  }

  latest(jobId: string): PlacedRecord<JobRecord> | undefined {
    return this.#latest.get(jobId);
  }

  release(jobId: string): void {
    this.#latest.delete(jobId);
  }

  /**
   * The job's record as read after `stale`; files of one page share a request. `undefined` when the
   * history no longer has the job.
   */
  async refresh(stale: PlacedRecord<JobRecord>): Promise<PlacedRecord<JobRecord> | undefined> {
    const isFresh = () => (this.#latest.get(stale.id) ?? stale) !== stale;
    // one search of the whole history serves all records that it does not find
    const isDone = () => isFresh() || this.#gone.has(stale);
    if (!isDone()) await this.#alone(() => this.#readAgain(stale.range), isDone);
    if (!isDone()) await this.#alone(() => this.#search(isFresh), isDone);
    return isFresh() ? this.#latest.get(stale.id) : undefined;
  }

  /** One request at a time. A caller that waits sends none of its own if the current one answers it. */
  async #alone(read: () => Promise<void>, isDone: () => boolean): Promise<void> {
    while (this.#inFlight) {
      // a failure is reported to the caller that started the request; this one sends its own
      await this.#inFlight.catch(() => undefined);
      if (isDone()) return;
    }
    this.#inFlight = read();
    try {
      await this.#inFlight;
    } finally {
      this.#inFlight = undefined;
    }
  }

  async #readAgain(range: PageRange): Promise<void> {
    const { items } = await this.reader.read(range);
    this.#update(items);
  }

  /** A job that is no longer in its page counts as gone if the whole history lacks it. */
  async #search(isFound: () => boolean): Promise<void> {
    const before = [...this.#latest.values()];
    for await (const { items } of readAll(this.reader)) {
      this.#update(items);
      if (isFound()) return;
    }
    for (const item of before) if (this.#latest.get(item.id) === item) this.#gone.add(item);
  }

  /** What a cache gave from its memory may be older than the record that is there. */
  #update(items: readonly PlacedRecord<JobRecord>[]): void {
    for (const item of items) {
      const isNewer = item.served.stale === undefined && this.#latest.has(item.id);
      if (isNewer) this.#latest.set(item.id, item);
    }
  }
}

/**
 * Finds the same file in a newer record: at the same place under the same origin and path, with any
 * query; or, if the answer's blocks have moved, anywhere under an equivalent URL.
 */
export function sameFile(
  record: Verbatim<JobRecord>,
  wanted: FileReference,
): FileReference | undefined {
  if (wanted.url === null) return undefined;
  const [address, key] = [fileAddress(wanted.url), downloadKey(wanted.url)];
  const references = fileReferences(record);
  return (
    references.find(
      (reference) =>
        placeKey(reference) === placeKey(wanted) &&
        reference.url !== null &&
        fileAddress(reference.url) === address,
    ) ?? references.find(({ url }) => url !== null && downloadKey(url) === key)
  );
}

/** The records of one session whose files are being fetched, and their fresh copies when URLs run out. */
import { fileReferences, placeKey, type FileReference } from '../flatten/file-references.js';
import { downloadKey, fileAddress } from '../model/file-url.js';
import type { JobRecord, Verbatim } from '../model/records.js';
import type { PageRange } from '../service/page-range.js';
import type { PageReader, PlacedRecord } from '../service/page-reader.js';
import { readAll } from '../service/read-all.js';

export class LiveHistory {
  /** As read last, by job. */
  readonly #latest = new Map<string, PlacedRecord<JobRecord>>();
  /** Records whose job was missing when the whole history was read after them. */
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
    // a search of the whole history is shared by all whom it does not find
    const isDone = () => isFresh() || this.#gone.has(stale);
    if (!isDone()) await this.#alone(() => this.#readAgain(stale.range), isDone);
    if (!isDone()) await this.#alone(() => this.#search(isFresh), isDone);
    return isFresh() ? this.#latest.get(stale.id) : undefined;
  }

  /** One reading at a time: who waits for one that brings what it needs, sends none of its own. */
  async #alone(read: () => Promise<void>, isDone: () => boolean): Promise<void> {
    while (this.#inFlight) {
      // its failure is its caller's; ours is tried on its own
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

  /** A job that is no longer where it was counts as gone when a reading of the whole history lacks it. */
  async #search(isFound: () => boolean): Promise<void> {
    const before = [...this.#latest.values()];
    for await (const { items } of readAll(this.reader)) {
      this.#update(items);
      if (isFound()) return;
    }
    for (const item of before) if (this.#latest.get(item.id) === item) this.#gone.add(item);
  }

  #update(items: readonly PlacedRecord<JobRecord>[]): void {
    for (const item of items) if (this.#latest.has(item.id)) this.#latest.set(item.id, item);
  }
}

/**
 * The same file in a newer record: at the same place under the same origin and path, whatever the query
 * says now; or, where an answer's blocks have moved, under a URL that can mean nothing else.
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
      (one) =>
        placeKey(one) === placeKey(wanted) && one.url !== null && fileAddress(one.url) === address,
    ) ?? references.find(({ url }) => url !== null && downloadKey(url) === key)
  );
}

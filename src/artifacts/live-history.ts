/** The records of one session whose files are being fetched, and their fresh copies when URLs run out. */
import { fileReferences, placeKey, type FileReference } from '../flatten/file-references.js';
import { downloadKey, fileAddress } from '../model/file-url.js';
import type { JobRecord, Verbatim } from '../model/records.js';
import type { PageRange } from '../service/page-range.js';
import type { PageReader } from '../service/page-reader.js';
import { readAll, type FreshPage } from '../service/read-all.js';
import type { ServedAt } from '../service/service-client.js';

export interface LiveRecord {
  readonly record: Verbatim<JobRecord>;
  readonly served: ServedAt;
  /** Grows with every reading of a page: tells a fresh record from the one that ran out. */
  readonly reading: number;
  readonly range: PageRange;
}

interface Reading extends Pick<FreshPage<JobRecord>, 'page' | 'range'> {
  readonly items: readonly { readonly id: string; readonly record: Verbatim<JobRecord> }[];
}

export class LiveHistory {
  readonly #live = new Map<string, LiveRecord>();
  #reading = 0;
  /** The newest reading before the last search that went through the whole history. */
  #searchedAfter = 0;
  #inFlight: Promise<void> | undefined;

  constructor(readonly reader: PageReader<JobRecord>) {}

  /** Keeps a record fresh until it is released. */
  admit(id: string, record: Verbatim<JobRecord>, page: FreshPage<JobRecord>): LiveRecord {
    const live = {
      record,
      served: page.page.served,
      reading: ++this.#reading,
      range: page.range,
    };
    this.#live.set(id, live);
    return live;
  }

  latest(jobId: string): LiveRecord | undefined {
    return this.#live.get(jobId);
  }

  release(jobId: string): void {
    this.#live.delete(jobId);
  }

  /**
   * The job's record as read after `stale`; files of one page share a request. `undefined` when the
   * history no longer has the job.
   */
  async refresh(jobId: string, stale: LiveRecord): Promise<LiveRecord | undefined> {
    const isFresh = () => (this.#live.get(jobId)?.reading ?? 0) > stale.reading;
    // what a whole search since then did not show is gone: others that are gone need none of their own
    const isDone = () => isFresh() || this.#searchedAfter >= stale.reading;
    if (!isDone()) await this.#alone(() => this.#readAgain(stale.range), isDone);
    if (!isDone()) await this.#alone(() => this.#search(isFresh), isDone);
    return isFresh() ? this.#live.get(jobId) : undefined;
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
    const { page, items } = await this.reader.read(range);
    this.#update({ items, page, range });
  }

  /** A job that is no longer where it was counts as gone when a reading of the whole history lacks it. */
  async #search(isFound: () => boolean): Promise<void> {
    const before = this.#reading;
    for await (const fresh of readAll(this.reader)) {
      this.#update(fresh);
      if (isFound()) return;
    }
    this.#searchedAfter = before;
  }

  #update({ items, page, range }: Reading): void {
    this.#reading++;
    for (const { id, record } of items) {
      if (!this.#live.has(id)) continue;
      this.#live.set(id, { record, served: page.served, reading: this.#reading, range });
    }
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

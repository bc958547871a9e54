/** Notices a job that a history shows twice with different contents, and finds out which of them holds now. */
import type { JobState } from '../../archive/state/user-state.js';
import { contentHash } from '../../flatten/content-hash.js';
import { textHash } from '../../flatten/text-hash.js';
import type { JobRecord } from '../../model/records.js';
import type { PageRange } from '../../service/page-range.js';
import type { PageReader, PlacedRecord } from '../../service/page-reader.js';
import type { FreshPage } from '../../service/read-all.js';
import { PagingError } from '../../service/service-errors.js';

type Sighting = PlacedRecord<JobRecord>;

/** The repeated jobs of one session in one run. */
export class RepeatedJobs {
  /** Where each job was seen first. */
  readonly #ranges = new Map<string, PageRange>();
  #gap: PagingError | undefined;

  constructor(readonly reader: PageReader<JobRecord>) {}

  /** Every job seen. */
  get ids(): Iterable<string> {
    return this.#ranges.keys();
  }

  /** Undefined unless a job has two contents at once, as far as can be told. */
  get gap(): PagingError | undefined {
    return this.#gap;
  }

  saw({ items }: FreshPage<JobRecord>): void {
    for (const { id, range } of items) this.#ranges.set(id, range);
  }

  /**
   * A job that is sent again with another content has changed meanwhile, or the service shows two at once. The
   * pages of both sightings are read again to tell.
   *
   * @param archived as of the sightings before
   * @returns the job as it is now, where that is not archived
   */
  async newer(again: Sighting, archived: JobState | undefined): Promise<Sighting | undefined> {
    if (!archived || isSame(again, archived)) return undefined;
    const now = new Map<string, Sighting>();
    for (const range of this.#pagesOf(again)) {
      const { items } = await this.reader.read(range);
      for (const item of items) {
        if (item.id === again.id) now.set(contentHash(item.record), item);
      }
    }
    const [current] = now.values();
    if (now.size === 1 && current) return isSame(current, archived) ? undefined : current;
    const { what } = this.reader.options;
    this.#gap ??= new PagingError(
      `${what}: job ${again.id} is listed more than once, with different contents`,
    );
    return undefined;
  }

  /** The pages on which a job stands, each once. */
  #pagesOf({ id, range }: Sighting): PageRange[] {
    const first = this.#ranges.get(id) ?? range;
    const isSamePage = first.pageNumber === range.pageNumber && first.pageSize === range.pageSize;
    return isSamePage ? [range] : [first, range];
  }
}

function isSame({ record }: Sighting, { text_hash: text, hash }: JobState): boolean {
  return (text !== null && text === textHash(record.text)) || hash === contentHash(record);
}

/** Reads single pages of one listing, and learns from each answer which page size the service grants. */
import { LEAST_GRANTED, PageGrant } from './page.js';
import { otherRange, type PageRange } from './page-range.js';
import type { Page, ServedAt, ServiceClient } from './service-client.js';
import { InvalidRequestError } from './service-errors.js';
import type { Verbatim, DatasetRecord, JobRecord, SessionRecord } from '../model/records.js';
import type { SessionId, UserId } from '../model/ids.js';

interface PageReaderOptions<T> {
  readonly fetchPage: (range: PageRange) => Promise<Page<T>>;
  readonly idOf: (record: T) => string;
  readonly grant: PageGrant;
  /** Names the listing in errors: `the sessions of user u1`. */
  readonly what: string;
  /** Whether a record that was shown stays as long as the listing is there, as a job in its history. Default: it may go. */
  readonly recordsStay?: boolean;
}

/** A record as the service sent it: verbatim, with its position and the time of its page. */
export interface PlacedRecord<T> {
  readonly id: string;
  readonly record: Verbatim<T>;
  /** Position in the listing when it was read, from 0. */
  readonly position: number;
  readonly served: ServedAt;
  /** The request that reads the record, with fresh URLs, again. */
  readonly range: PageRange;
}

/** A page with the position of its first record in the whole listing (from 0). */
export interface PlacedPage<T> {
  readonly page: Page<T>;
  /** The actual page size. */
  readonly size: number;
  readonly start: number;
  /** One id for each entry of the page; an entry that is not a record has an id that no record can have. */
  readonly ids: readonly string[];
  readonly items: readonly PlacedRecord<T>[];
  /** Reasons why the page may be incomplete: sentences without a full stop. */
  readonly flaws: readonly string[];
}

/** The second answer of a cache for one page, and the header that says so. */
function staleFlaw(pageNumber: number, header: string): string {
  return `a cache answered for page ${pageNumber} from its memory (${header}), also when asked for another page size`;
}

export class PageReader<T> {
  constructor(readonly options: PageReaderOptions<T>) {}

  get grant(): PageGrant {
    return this.options.grant;
  }

  async readFirst(): Promise<PlacedPage<T>> {
    return this.readLargest(() => 1);
  }

  /**
   * Reads a page of the largest granted size; a refused size (300001) is lowered step by step.
   *
   * @param pageNumberOf the page number for a page size
   */
  async readLargest(pageNumberOf: (pageSize: number) => number): Promise<PlacedPage<T>> {
    for (;;) {
      const pageSize = this.grant.size;
      try {
        return await this.read({ pageNumber: pageNumberOf(pageSize), pageSize });
      } catch (error) {
        const smaller = PageGrant.smaller(pageSize);
        if (!this.isRefusal(error) || smaller === undefined) throw error;
        // another listing may have learned it meanwhile
        this.grant.size = Math.min(this.grant.size, smaller);
      }
    }
  }

  /**
   * A page that a cache gave from its memory is asked for once more, with another size: then the page has other
   * limits than requested. If that came from a cache, too, the first one is returned, with a flaw.
   */
  async read(range: PageRange): Promise<PlacedPage<T>> {
    const placed = await this.#readOnce(range);
    const { stale, sentAtMonotonicMs } = placed.page.served;
    if (stale === undefined) return placed;
    const past = await this.#readOnce(otherRange(range, Math.trunc(sentAtMonotonicMs))).catch(
      (error: unknown) => {
        if (this.isRefusal(error)) return this.#readOnce(range); // the service refuses other sizes
        throw error;
      },
    );
    if (past.page.served.stale === undefined) return past;
    return { ...placed, flaws: [staleFlaw(range.pageNumber, stale), ...placed.flaws] };
  }

  /** Positions follow from the requested page number; a different number in the answer is a flaw and moves nothing. */
  async #readOnce(range: PageRange): Promise<PlacedPage<T>> {
    const page = await this.options.fetchPage(range);
    const unusable = new Map(page.unusable?.map(({ index, reason }) => [index, reason]));
    const count = page.records.length + unusable.size;
    // a larger size than the requested one counts only if that many records came
    const size = Math.min(page.pageSize, Math.max(range.pageSize, count));
    if (size < range.pageSize) {
      this.grant.size = Math.min(this.grant.size, Math.max(1, size));
    }
    this.#learnTotals(page, count);
    const start = (range.pageNumber - 1) * size;
    const ids: string[] = [];
    const items: PlacedRecord<T>[] = [];
    const { served } = page;
    const again = { pageNumber: page.pageNumber, pageSize: size };
    for (const record of page.records) {
      while (unusable.has(ids.length)) ids.push(noId(start + ids.length));
      const id = this.options.idOf(record.value);
      items.push({ id, record, position: start + ids.length, served, range: again });
      ids.push(id);
    }
    while (ids.length < count) ids.push(noId(start + ids.length));
    const flaws = [...unusable].map(
      ([index, reason]) => `record ${index + 1} of page ${range.pageNumber} ${reason}`,
    );
    if (page.fault !== undefined) flaws.unshift(page.fault);
    return { page, size, start, ids, items, flaws };
  }

  /**
   * Whether more follows a page that seems to end its listing. What answers may grant less than it tells, and
   * count only the page. A page of one record, or the page behind, shows what its totals count; then no listing asks
   * again.
   */
  async isCut(placed: PlacedPage<T>): Promise<boolean> {
    const { grant } = this;
    const isUnknown = () => grant.totalsAreGlobal === undefined;
    const count = placed.ids.length;
    const isShort = placed.page.isSizeStated !== false && count < LEAST_GRANTED;
    if (!isUnknown() || count === 0 || (isShort && grant.trustsShortPages)) return false;
    if (isShort && placed.page.served.stale !== undefined) return false; // a doubt already
    if (grant.trustsShortPages) return this.#goesOnBehind(placed, isShort);
    return grant.oneAtATime.run(async () => {
      if (isUnknown() && count > 1) await this.#askForOne();
      return isUnknown() ? this.#goesOnBehind(placed, isShort) : grant.totalsAreGlobal === false;
    });
  }

  /** The second record alone: totals that count more than it count the whole listing. */
  async #askForOne(): Promise<void> {
    try {
      await this.read({ pageNumber: 2, pageSize: 1 });
    } catch (error) {
      if (!this.isRefusal(error)) throw error;
    }
  }

  /** @param isShort then a cache that cannot be passed by is no reason for doubt */
  async #goesOnBehind({ page }: PlacedPage<T>, isShort: boolean): Promise<boolean> {
    try {
      const next = await this.read({ pageNumber: page.pageNumber + 1, pageSize: this.grant.size });
      if (next.page.served.stale !== undefined) return !isShort; // what follows is not known
      return next.ids.length > 0 || next.page.totalItems !== page.totalItems;
    } catch (error) {
      if (this.isRefusal(error)) return false; // there is no such page
      throw error;
    }
  }

  isRefusal(error: unknown): boolean {
    return error instanceof InvalidRequestError;
  }

  /** The answer's `total_items`, if it counts the whole listing. */
  totalOf(page: Page<T>): number | null {
    return this.grant.totalsAreGlobal === false ? null : page.totalItems;
  }

  /** A page of a cache, or another one than was asked for, shows nothing. */
  #learnTotals({ totalItems, pageNumber, fault, served }: Page<T>, count: number): void {
    if (this.grant.totalsAreGlobal !== undefined || totalItems === null) return;
    if (fault !== undefined || served.stale !== undefined) return;
    if (totalItems > count) this.grant.totalsAreGlobal = true;
    else if (pageNumber > 1 && totalItems === count) this.grant.totalsAreGlobal = false;
  }
}

/** Half a surrogate pair, which no usable id contains. */
function noId(position: number): string {
  return `\ud800${position}`;
}

/** Makes a reader for each kind of listing. */
interface ListingAccess {
  readonly service: ServiceClient;
  /** The page size requested at first; the service may grant less. */
  readonly pageSize: number;
  readonly signal?: AbortSignal | undefined;
}

/** Readers of listings that share the page sizes that the service grants. */
export class Listings {
  readonly #sessionGrant: PageGrant;
  readonly #historyGrant: PageGrant;
  readonly #datasetGrant: PageGrant;
  readonly #access: ListingAccess;

  constructor(access: ListingAccess) {
    this.#access = access;

    this.#sessionGrant = new PageGrant(access.pageSize);
    this.#historyGrant = new PageGrant(access.pageSize);
    this.#datasetGrant = new PageGrant(access.pageSize);
  }

  sessionsOf(userId: UserId, search?: string): PageReader<SessionRecord> {
    const { service, signal } = this.#access;
    return new PageReader({
      fetchPage: (range) => service.listSessions({ userId, search, ...range, signal }),
      idOf: (session) => session.id,
      grant: this.#sessionGrant,
      what: `the sessions of user ${userId}`,
    });
  }

  historyOf(userId: UserId, sessionId: SessionId): PageReader<JobRecord> {
    const { service, signal } = this.#access;
    return new PageReader({
      fetchPage: (range) => service.getHistory({ userId, sessionId, ...range, signal }),
      idOf: (job) => job.job_id,
      grant: this.#historyGrant,
      what: `the history of session ${sessionId}`,
      recordsStay: true,
    });
  }

  datasetsOf(userId: UserId, search?: string): PageReader<DatasetRecord> {
    const { service, signal } = this.#access;
    return new PageReader({
      fetchPage: (range) => service.listDatasets({ userId, search, ...range, signal }),
      idOf: (dataset) => dataset.id,
      grant: this.#datasetGrant,
      what: `the datasets that user ${userId} sees`,
    });
  }
}

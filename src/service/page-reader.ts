/** Reads single pages of one listing, and learns from every answer what the service grants. */
import type { PageGrant } from './page-grant.js';
import { PageGrant as Grant } from './page-grant.js';
import type { PageRange } from './page-range.js';
import type { Page } from './service-client.js';
import { InvalidRequestError } from './errors/invalid-request-error.js';

export interface PageReaderOptions<T> {
  readonly fetchPage: (range: PageRange) => Promise<Page<T>>;
  readonly idOf: (record: T) => string;
  readonly grant: PageGrant;
  /** Names the listing in errors: `the sessions of user u1`. */
  readonly what: string;
}

/** A page, and where its first record stands in the whole listing (from 0). */
export interface PlacedPage<T> {
  readonly page: Page<T>;
  readonly start: number;
  readonly ids: readonly string[];
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
   * A page of the largest size granted: a refused size (300001) is lowered step by step.
   *
   * @param pageNumberOf which page it is to be at that size
   */
  async readLargest(pageNumberOf: (pageSize: number) => number): Promise<PlacedPage<T>> {
    for (;;) {
      const pageSize = this.grant.size;
      try {
        return await this.read({ pageNumber: pageNumberOf(pageSize), pageSize });
      } catch (error) {
        const smaller = Grant.smaller(pageSize);
        if (!this.isRefusal(error) || smaller === undefined) throw error;
        // another listing may have learned it meanwhile
        this.grant.size = Math.min(this.grant.size, smaller);
      }
    }
  }

  async read(range: PageRange): Promise<PlacedPage<T>> {
    const page = await this.options.fetchPage(range);
    if (page.pageSize < range.pageSize) {
      this.grant.size = Math.min(this.grant.size, Math.max(1, page.pageSize));
    }
    this.#learnTotals(page);
    return {
      page,
      start: (page.pageNumber - 1) * page.pageSize,
      ids: page.records.map((record) => this.options.idOf(record.value)),
    };
  }

  isRefusal(error: unknown): boolean {
    return error instanceof InvalidRequestError;
  }

  /** The answer's `total_items`, where it may be taken for the whole listing's. */
  totalOf(page: Page<T>): number | null {
    return this.grant.totalsAreGlobal === false ? null : page.totalItems;
  }

  #learnTotals(page: Page<T>): void {
    if (this.grant.totalsAreGlobal !== undefined || page.totalItems === null) return;
    if (page.totalItems > page.records.length) this.grant.totalsAreGlobal = true;
    else if (page.pageNumber > 1 && page.records.length > 0) this.grant.totalsAreGlobal = false;
  }
}

/** A listing that changes between requests, as a service would page it; seeded, no sockets. */
import type { PageGrant } from '../../../src/service/page.js';
import type { PageRange } from '../../../src/service/page-range.js';
import { PageReader } from '../../../src/service/page-reader.js';
import type { Page } from '../../../src/service/service-client.js';

export interface Item {
  readonly id: string;
}

export interface ListingBehaviour {
  readonly order: 'newest' | 'oldest' | 'shuffled';
  readonly maxPageSize: number;
  readonly totals: 'right' | 'page' | 'absent';
  /** Whether an answer has the page size that the service applied. Default: true. */
  readonly tellsSize?: boolean;
  /** What happens before request number n (from 0). */
  readonly change?: (request: number, listing: ListingService) => void;
  readonly fraction?: () => number;
}

export class ListingService {
  /** Oldest first. */
  items: string[];
  requests = 0;
  maxPageSize: number;

  constructor(
    items: readonly string[],
    readonly behaviour: ListingBehaviour,
  ) {
    this.items = [...items];
    this.maxPageSize = behaviour.maxPageSize;
  }

  reader(grant: PageGrant, recordsStay = false): PageReader<Item> {
    return new PageReader<Item>({
      fetchPage: (range) => Promise.resolve(this.page(range)),
      idOf: (item) => item.id,
      grant,
      what: 'the items',
      recordsStay,
    });
  }

  page({ pageNumber, pageSize }: PageRange): Page<Item> {
    this.behaviour.change?.(this.requests, this);
    this.requests++;
    const granted = Math.min(pageSize, this.maxPageSize);
    const start = (pageNumber - 1) * granted;
    const ids = this.#ordered().slice(start, start + granted);
    const { totals } = this.behaviour;
    return {
      pageNumber,
      pageSize: (this.behaviour.tellsSize ?? true) ? granted : pageSize,
      totalItems: totals === 'absent' ? null : totals === 'page' ? ids.length : this.items.length,
      records: ids.map((id) => ({ value: { id }, text: JSON.stringify({ id }) })),
      served: { sentAtMonotonicMs: 0, dateMs: 0 },
    };
  }

  #ordered(): string[] {
    if (this.behaviour.order === 'newest') return this.items.toReversed();
    if (this.behaviour.order === 'oldest') return this.items;
    const fraction = this.behaviour.fraction ?? Math.random;
    return this.items
      .map((id) => [fraction(), id] as const)
      .sort(([a], [b]) => a - b)
      .map(([, id]) => id);
  }
}

/**
 * Reads a listing that may change under our hands, until it is proven that nothing that was there
 * throughout is missing, or says what is.
 */
import { PagingError } from './paging-error.js';
import { PassWindow } from './pass-window.js';
import { adjoiningRange, overlappingRange, type PageRange } from './page-range.js';
import type { PageReader, PlacedPage } from './page-reader.js';
import type { Page } from './service-client.js';
import type { Verbatim } from '../model/records.js';

/** Looks in a row that bring nothing new, nor a proof any nearer, before the rest is given up as a gap. */
const MAX_BARREN_PASSES = 5;
/** Bounds a listing that brings new ids with every look. */
const MAX_PASSES = 50;

/** One page's records that no page before it had. */
export interface FreshPage<T> {
  readonly items: readonly PlacedRecord<T>[];
  readonly page: Page<T>;
  /** The request that fetches these records (and so their URLs) again. */
  readonly range: PageRange;
}

export interface PlacedRecord<T> {
  readonly id: string;
  readonly record: Verbatim<T>;
  /** Position in the listing when it was read, from 0. */
  readonly position: number;
}

export interface ListingVerdict {
  /** Ids seen, each once. */
  readonly distinct: number;
  /** As last sent; null where the service sends none that can be believed. */
  readonly totalItems: number | null;
  /** Undefined when the listing is proven whole; else why it is not. */
  readonly gap: PagingError | undefined;
}

/**
 * Yields every record of a listing once, in the order first seen; returns whether that was all.
 *
 * A listing on one page is a snapshot, and needs no proof. One on many pages is proven by a pass whose
 * pages overlap without a seam and whose distinct ids number a `total_items` that stood still; where
 * pages cannot overlap or no total can be believed, by two passes that saw the same in the same order;
 * where the order is another with every request, by two looks in a row that found the same set.
 *
 * @param first the first page, where the caller has it already
 * @yields one page at most in memory
 */
export async function* readAll<T>(
  reader: PageReader<T>,
  first?: PlacedPage<T>,
): AsyncGenerator<FreshPage<T>, ListingVerdict> {
  const seen = new Set<string>();
  const window = new PassWindow();
  let barren = 0;
  let totalItems: number | null = null;
  for (let pass = 1; ; pass++) {
    const seenBefore = seen.size;
    window.beginPass();
    for await (const placed of readPass(reader, pass === 1 ? first : undefined)) {
      totalItems = reader.totalOf(placed.page);
      window.add(placed, totalItems);
      const items = freshItems(placed, seen);
      if (items.length > 0) yield { items, page: placed.page, range: rangeOf(placed) };
    }
    const { isProven, cameNearer } = window.endPass();
    if (isProven) {
      return { distinct: seen.size, totalItems, gap: undefined };
    }
    // in an order that changes with every request, a second look at everything takes several passes
    const isBarren = seen.size === seenBefore && !cameNearer && pass > 1;
    barren = isBarren ? barren + 1 : 0;
    if (barren >= MAX_BARREN_PASSES || pass >= MAX_PASSES) {
      return {
        distinct: seen.size,
        totalItems,
        gap: new PagingError(
          `${reader.options.what}: ${seen.size} seen, ${totalItems ?? 'an unknown number'} announced, ` +
            `and after ${pass} looks it is not certain that none is missing`,
        ),
      };
    }
  }
}

/** One way through the listing, front to back. Ends also where the service stops moving on. */
async function* readPass<T>(
  reader: PageReader<T>,
  first: PlacedPage<T> | undefined,
): AsyncGenerator<PlacedPage<T>> {
  let placed = first ?? (await reader.readFirst());
  // Fewer than granted though more are announced: what came is what this listing grants.
  const largest = Math.max(1, Math.min(reader.grant.size, placed.ids.length));
  let covered = 0;
  for (;;) {
    yield placed;
    const end = placed.start + placed.ids.length;
    if (end <= covered || isLast(reader, placed, end)) return;
    // A page behind a hole (the size was cut on the way) covers nothing yet.
    if (placed.start <= covered) covered = end;
    placed = await readNext(reader, covered, largest);
  }
}

/** Past the announced total, or short; a full page whose total counts only itself is not the end. */
function isLast<T>(reader: PageReader<T>, { page, ids }: PlacedPage<T>, end: number): boolean {
  if (ids.length === 0) return true;
  const total = reader.totalOf(page);
  if (ids.length < page.pageSize) return total === null || end >= total;
  return total !== null && end >= total && reader.grant.totalsAreGlobal === true;
}

async function readNext<T>(
  reader: PageReader<T>,
  covered: number,
  largest: number,
): Promise<PlacedPage<T>> {
  const { grant } = reader;
  const size = Math.min(largest, grant.size);
  const overlapping = grant.tilesOnly ? undefined : overlappingRange(covered, size);
  if (overlapping) {
    try {
      return await reader.read(overlapping);
    } catch (error) {
      if (!reader.isRefusal(error)) throw error;
      grant.tilesOnly = true;
    }
  }
  return reader.read(adjoiningRange(covered, size));
}

function freshItems<T>(placed: PlacedPage<T>, seen: Set<string>): PlacedRecord<T>[] {
  return placed.page.records.flatMap((record, index) => {
    const id = placed.ids[index] ?? '';
    if (seen.has(id)) return [];
    seen.add(id);
    return [{ id, record, position: placed.start + index }];
  });
}

function rangeOf<T>({ page }: PlacedPage<T>): PageRange {
  return { pageNumber: page.pageNumber, pageSize: page.pageSize };
}

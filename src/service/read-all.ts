/**
 * Reads a listing that may change while it is read, until it is proven that nothing that was there
 * throughout is missing, or says what is.
 */
import { PagingError } from './paging-error.js';
import { PassWindow } from './pass-window.js';
import { adjoiningRange, exactRange, overlappingRange, type PageRange } from './page-range.js';
import type { PageReader, PlacedPage, PlacedRecord } from './page-reader.js';
import type { Page } from './service-client.js';

export type { PlacedRecord } from './page-reader.js';

/** Passes in a row that bring nothing new, nor a proof any nearer, before the rest is given up as a gap. */
const MAX_BARREN_PASSES = 5;
/** Bounds a listing that brings new ids with every pass. */
const MAX_PASSES = 50;
/** Passes with a flaw before it counts as lasting: one that passes by is no gap. */
const MAX_FLAWED_PASSES = 2;
/** Pages in a row without an id that is new to the pass: the service does not move on. */
const MAX_IDLE_PAGES = 10;
/** Of the flaws that a gap names one by one. */
const FLAWS_TOLD = 3;

/** One page's records. */
export interface FreshPage<T> {
  /** Those that no page before it had. */
  readonly items: readonly PlacedRecord<T>[];
  /** Those that a page before it had, too, as they were sent this time. */
  readonly again: readonly PlacedRecord<T>[];
  readonly page: Page<T>;
  /** The request that fetches these records (and so their URLs) again. */
  readonly range: PageRange;
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
 * Yields every record of a listing once, in the order first seen, and apart from them those that were sent
 * again, for a caller that must not miss a change while it reads; returns whether that was all.
 *
 * A listing on one page is a snapshot, and needs no proof. One on many pages is proven by a pass whose
 * pages overlap without a seam and whose distinct ids number a `total_items` that stood still; where
 * pages cannot overlap or no total can be believed, by two passes that saw the same in the same order;
 * where the order is another with every request, by two passes in a row that found the same set.
 * Without a total a short page may be one that the service has cut: only an empty page is the end.
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
  let flawed = 0;
  let totalItems: number | null = null;
  for (let pass = 1; ; pass++) {
    const seenBefore = seen.size;
    const flaws = new Set<string>();
    window.beginPass();
    for await (const placed of readPass(reader, pass === 1 ? first : undefined)) {
      totalItems = reader.totalOf(placed.page);
      window.add(placed, totalItems);
      placed.flaws.forEach((flaw) => flaws.add(flaw));
      const { page, items: sent } = placed;
      if (sent.length > 0) yield { ...parted(sent, seen), page, range: rangeOf(placed) };
    }
    const { isProven, cameNearer } = window.endPass();
    if (isProven && flaws.size === 0) return { distinct: seen.size, totalItems, gap: undefined };
    // in an order that changes with every request, seeing everything a second time takes several passes
    const isBarren = seen.size === seenBefore && !cameNearer && pass > 1;
    barren = isBarren ? barren + 1 : 0;
    if (flaws.size > 0) flawed++;
    if (flawed >= MAX_FLAWED_PASSES || barren >= MAX_BARREN_PASSES || pass >= MAX_PASSES) {
      const counts = `${seen.size} seen, ${totalItems ?? 'an unknown number'} announced`;
      const why =
        flaws.size > 0
          ? flawsText(flaws)
          : `after ${pass} looks it is not certain that none is missing`;
      const gap = new PagingError(`${reader.options.what}: ${counts}, and ${why}`);
      return { distinct: seen.size, totalItems, gap };
    }
  }
}

function flawsText(flaws: ReadonlySet<string>): string {
  const first = [...flaws].slice(0, FLAWS_TOLD).join('; ');
  return flaws.size > FLAWS_TOLD ? `${first}; and ${flaws.size - FLAWS_TOLD} more` : first;
}

/** One way through the listing, front to back. Ends also where the service stops moving on. */
async function* readPass<T>(
  reader: PageReader<T>,
  first: PlacedPage<T> | undefined,
): AsyncGenerator<PlacedPage<T>> {
  let placed = first ?? (await reader.readFirst());
  // Fewer than granted though more are announced: what came is what this listing grants.
  const largest = Math.max(1, Math.min(reader.grant.size, placed.ids.length));
  const ids = new Set<string>();
  let covered = 0;
  let idle = 0;
  for (;;) {
    yield placed;
    const before = ids.size;
    placed.ids.forEach((id) => ids.add(id));
    idle = ids.size === before ? idle + 1 : 0;
    if (idle >= MAX_IDLE_PAGES) return;
    const end = placed.start + placed.ids.length;
    if (end <= covered) return;
    const isEnd = isLast(reader, placed, { end, hasNews: idle === 0 });
    if (isEnd && !(await reader.isCut(placed))) return;
    // A page behind a hole (the size was cut on the way) covers nothing yet.
    if (placed.start <= covered) covered = end;
    const hasTotal = reader.totalOf(placed.page) !== null;
    placed = await readNext(reader, covered, { largest, hasTotal });
  }
}

/**
 * Whether the page ends the listing: it is short, and no more is announced; without a total, it is empty. A full
 * page that reaches the total is the end only where it brings nothing new: some services stop counting at a limit.
 */
function isLast<T>(
  reader: PageReader<T>,
  { page, size, ids }: PlacedPage<T>,
  { end, hasNews }: { readonly end: number; readonly hasNews: boolean },
): boolean {
  const total = reader.totalOf(page);
  if (total === null) return ids.length === 0;
  return end >= total && (ids.length < size || !hasNews);
}

async function readNext<T>(
  reader: PageReader<T>,
  covered: number,
  { largest, hasTotal }: { readonly largest: number; readonly hasTotal: boolean },
): Promise<PlacedPage<T>> {
  const { grant } = reader;
  const size = Math.min(largest, grant.size);
  const wanted = hasTotal ? overlappingRange(covered, size) : exactRange(covered, size);
  if (wanted && !grant.tilesOnly) {
    try {
      return await reader.read(wanted);
    } catch (error) {
      if (!reader.isRefusal(error)) throw error;
      grant.tilesOnly = true;
    }
  }
  // a short tile that was read already says nothing of what follows
  const begun = hasTotal ? covered : Math.ceil(covered / size) * size;
  return reader.read(adjoiningRange(begun, size));
}

function parted<T>(
  sent: readonly PlacedRecord<T>[],
  seen: Set<string>,
): Pick<FreshPage<T>, 'items' | 'again'> {
  const items: PlacedRecord<T>[] = [];
  const again: PlacedRecord<T>[] = [];
  for (const item of sent) {
    (seen.has(item.id) ? again : items).push(item);
    seen.add(item.id);
  }
  return { items, again };
}

function rangeOf<T>({ page, size }: PlacedPage<T>): PageRange {
  return { pageNumber: page.pageNumber, pageSize: size };
}
